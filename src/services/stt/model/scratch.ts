import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { newId } from '../../../base/ids.ts';

/** A place for recordings while they are heard. */
export interface Scratch {
  /** Gives `use` the path of a file that is not there yet; whatever came of it, the file is gone afterwards. */
  with<T>(use: (path: string) => Promise<T>): Promise<T>;
}

/**
 * Scratch files in the folder `dir`. A file's name says whose it is, so that what killed processes of this machine have
 * left is removed here; what those of other machines left, once no task can be so old.
 */
export async function openScratch(dir: string, now = Date.now()): Promise<Scratch> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const host = hostname().replace(/[^A-Za-z0-9-]/g, '-');
  for (const name of await readdir(dir)) {
    const [owner, pid] = name.split('.');
    const file = join(dir, name);
    const { mtimeMs } = (await stat(file).catch(() => undefined)) ?? { mtimeMs: now };
    const orphan = owner === host && !isOthers(Number(pid));
    if (orphan || now - mtimeMs > OLDEST_MS) await rm(file, { force: true });
  }
  return {
    async with(use) {
      const file = join(dir, `${host}.${process.pid}.${newId()}`);
      try {
        return await use(file);
      } finally {
        await rm(file, { force: true });
      }
    },
  };
}

const OLDEST_MS = 26 * 3_600_000;

/** Whether another process of this number lives. What has our own number was left by one that had it before us. */
function isOthers(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
