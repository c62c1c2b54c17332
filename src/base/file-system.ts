import { mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** A `catch` handler that ignores file system errors with these codes and rethrows others. */
export const ignoreErrors =
  (...codes: string[]) =>
  (error: NodeJS.ErrnoException): undefined => {
    if (!codes.includes(error.code ?? '')) throw error;
  };

export const ifMissing = ignoreErrors('ENOENT');
export const ifExists = ignoreErrors('EEXIST');

export const succeeds = (operation: Promise<unknown>): Promise<boolean> =>
  operation.then(
    () => true,
    () => false,
  );

/**
 * Creates a folder and those above it. Also fails where no folder can be created, as in /proc: there `mkdir` of Node with `recursive`
 * never ends.
 */
export async function createFolder(path: string, mode?: number): Promise<void> {
  const error = await mkdir(path, { mode }).then(
    () => undefined,
    (reason: NodeJS.ErrnoException) => reason,
  );
  if (!error || (error.code === 'EEXIST' && (await stat(path)).isDirectory())) return;
  if (error.code !== 'ENOENT' || dirname(path) === path) throw error;
  await createFolder(dirname(path), mode);
  await mkdir(path, { mode }).catch(ifExists);
}

/** Deletes the entries of `dir` that have not changed for `ageMs`, left by a process that died. Returns their number. */
export async function deleteStale(dir: string, ageMs: number, prefix = ''): Promise<number> {
  let deleted = 0;
  for (const name of (await readdir(dir).catch(ifMissing)) ?? []) {
    const path = join(dir, name);
    const found = name.startsWith(prefix) ? await stat(path).catch(ifMissing) : undefined;
    if (!found || Date.now() - found.mtimeMs < ageMs) continue;
    await rm(path, { recursive: true, force: true });
    deleted++;
  }
  return deleted;
}

/** Makes a rename durable. Windows cannot sync folders. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder);
  await handle.sync().finally(() => handle.close());
}
