import { execFile } from 'node:child_process';
import { link, mkdir, readFile, rename, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ifExists, ifMissing } from '../base/file-system.ts';
import { newId } from '../base/ids.ts';
import { OperatorError } from '../base/operator-error.ts';
import { isAlive } from '../base/postgres/processes.ts';

/**
 * Returns the unlock function; throws while another supervisor runs. The lock names pid and start time, so a killed
 * supervisor or a reused pid does not hold it.
 */
export async function lockDataDir(dataDir: string): Promise<() => Promise<void>> {
  await mkdir(dataDir, { recursive: true });
  const lock = join(dataDir, 'supervisor.lock');
  const draft = `${lock}.${newId()}`;
  const ours = `${process.pid}\n${await startOf(process.pid)}\n`;
  await writeFile(draft, ours, { flag: 'wx' });
  try {
    // link() is atomic and does not replace an existing lock.
    while (!(await tryLink(draft, lock))) {
      const held = await readFile(lock, 'utf8').catch(ifMissing);
      if (held === undefined) continue;
      const pid = await livePid(held);
      if (pid !== undefined) {
        throw new OperatorError(
          `Assay is already running on this data directory (process ${pid}). Stop it first, or set DATA_DIR to another folder.`,
        );
      }
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
  return (await startOf(number)) === started ? number : undefined;
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

/** Start time, unique per pid; empty where unknown. */
async function startOf(pid: number): Promise<string> {
  if (process.platform === 'win32') return '';
  if (process.platform !== 'linux') {
    const { stdout } = await promisify(execFile)('ps', ['-o', 'lstart=', '-p', String(pid)]).catch(() => ({
      stdout: '',
    }));
    return stdout.trim();
  }
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '');
  // Field 22: clock ticks from boot to start. Field 2 can contain any characters.
  const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  return `${boot.trim()} ${ticks}`;
}
