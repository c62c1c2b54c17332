import { constants } from 'node:fs';
import { copyFile, type FileHandle, open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { chownToFolderOwner } from './server-account.ts';

const LOG_BYTES = 8 * 1024 * 1024;

export async function openServerLog(home: string): Promise<FileHandle> {
  await rotateServerLog(home);
  const path = join(home, 'server.log');
  // Append mode, so that it can be truncated while the server writes; does not follow links.
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0);
  const file = await open(path, flags, 0o600);
  await chownToFolderOwner(path);
  return file;
}

/** Limits the log to two files of `LOG_BYTES`. Copies and truncates, because the server keeps its file open. */
export async function rotateServerLog(home: string): Promise<void> {
  const path = join(home, 'server.log');
  const size = await stat(path).then(
    (file) => file.size,
    () => 0,
  );
  if (size <= LOG_BYTES) return;
  await copyFile(path, `${path}.1`);
  const file = await open(path, 'r+');
  await file.truncate();
  await file.close();
}
