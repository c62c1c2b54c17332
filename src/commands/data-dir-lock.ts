import { link, mkdir, readFile, rename, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ifExists, ifMissing } from '../base/file-system.ts';
import { newId } from '../base/ids.ts';
import { OperatorError } from '../base/operator-error.ts';
import { isAlive, startTimeOf } from '../base/postgres/processes.ts';

/** Returns the unlock function; throws while another supervisor runs. */
export const lockDataDir = (dataDir: string): Promise<() => Promise<void>> =>
  createLock(
    join(dataDir, 'supervisor.lock'),
    (pid) =>
      `Assay is already running on this data directory (process ${pid}). Stop it first, or set DATA_DIR to another folder.`,
  );

/**
 * Returns the unlock function; throws while another process holds the lock. The lock names pid and start time, so a killed
 * process or a reused pid does not hold it.
 */
export async function createLock(lock: string, heldBy: (pid: number) => string): Promise<() => Promise<void>> {
  await mkdir(dirname(lock), { recursive: true });
  const draft = `${lock}.${newId()}`;
  const ours = `${process.pid}\n${await startTimeOf(process.pid)}\n`;
  await writeFile(draft, ours, { flag: 'wx' });
  try {
    // link() is atomic and does not replace an existing lock.
    while (!(await tryLink(draft, lock))) {
      const held = await readFile(lock, 'utf8').catch(ifMissing);
      if (held === undefined) continue;
      const pid = await livePid(held);
      if (pid !== undefined) throw new OperatorError(heldBy(pid));
      await removeStale(lock, held);
    }
  } finally {
    await unlink(draft);
  }
  return async () => {
    if ((await readFile(lock, 'utf8').catch(ifMissing)) === ours) await unlink(lock);
  };
}

async function livePid(held: string): Promise<number | undefined> {
  const [pid, started] = held.split('\n');
  const number = Number(pid);
  if (!Number.isSafeInteger(number) || number <= 0 || !(await isAlive(number))) return undefined;
  return (await startTimeOf(number)) === started ? number : undefined;
}

/** Puts the lock back if another process has replaced it meanwhile. */
async function removeStale(lock: string, held: string): Promise<void> {
  const moved = `${lock}.${newId()}`;
  await rename(lock, moved).catch(ifMissing);
  const content = await readFile(moved, 'utf8').catch(ifMissing);
  if (content === undefined) return;
  if (content !== held) await tryLink(moved, lock);
  await unlink(moved);
}

const tryLink = async (from: string, to: string): Promise<boolean> =>
  (await link(from, to).then(() => true, ifExists)) ?? false;
