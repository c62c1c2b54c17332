import { readdir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { newId } from '../../../base/ids.ts';

/**
 * Creates scratch files in the shared folder `dir`. Names contain host and process id, so that files of killed
 * processes (up to 1 GiB each) are deleted here at the next start.
 */
export async function createScratch(dir: string) {
  const host = hostname().replace(/[^A-Za-z0-9-]/g, '-');
  for (const name of await readdir(dir)) {
    const [kind, owner, pid] = name.split('.');
    if (kind === KIND && owner === host && !isOtherProcess(Number(pid))) await rm(join(dir, name), { force: true });
  }
  return {
    /** The file is deleted afterwards. */
    async with<T>(use: (path: string) => Promise<T>): Promise<T> {
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

/** Whether another running process has this id. Files with our own id are from an earlier process. */
function isOtherProcess(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
