import { constants } from 'node:fs';
import { copyFile, type FileHandle, open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { handOver } from './account.ts';

const LOG_BYTES = 8 * 1024 * 1024;

/** Where the server writes what it has to say. */
export async function openServerLog(home: string): Promise<FileHandle> {
  await boundServerLog(home);
  const path = join(home, 'server.log');
  // Appended to, so that it can be cut while the server writes; never through a link that somebody else has laid.
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0);
  const file = await open(path, flags, 0o600);
  await handOver(path);
  return file;
}

/** At most two files of this size: the server writes to the one it was given, so the old part is copied off. */
export async function boundServerLog(home: string): Promise<void> {
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
