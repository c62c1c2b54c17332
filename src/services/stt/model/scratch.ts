import { readdir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { newId } from '../../../base/ids.ts';

/** A place for recordings while they are heard. */
export interface Scratch {
  /** Gives `use` the path of a file that is not there yet; whatever came of it, the file is gone afterwards. */
  with<T>(use: (path: string) => Promise<T>): Promise<T>;
}

/**
 * Scratch files in the folder `dir`, which others use too. A file's name says whose it is, so that what killed processes
 * of this machine have left, a gigabyte each, is removed here and now.
 */
export async function openScratch(dir: string): Promise<Scratch> {
  const host = hostname().replace(/[^A-Za-z0-9-]/g, '-');
  for (const name of await readdir(dir)) {
    const [kind, owner, pid] = name.split('.');
    if (kind === KIND && owner === host && !isOthers(Number(pid))) await rm(join(dir, name), { force: true });
  }
  return {
    async with(use) {
      const file = join(dir, `${KIND}.${host}.${process.pid}.${newId()}`);
      try {
        return await use(file);
      } finally {
        await rm(file, { force: true });
      }
    },
  };
}

const KIND = 'recording';

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
