import { execFile } from 'node:child_process';
import { link, mkdir, readFile, rename, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { newId } from '../base/ids.ts';
import { OperatorError } from '../base/operator-error.ts';
import { isAlive } from '../base/postgres/processes.ts';

/**
 * Takes a data directory for one supervisor and answers how to leave it; refuses while another one lives there. The
 * lock names the process with its start, so that neither a killed supervisor nor a stranger who got its number counts.
 */
export async function occupy(dataDir: string): Promise<() => Promise<void>> {
  await mkdir(dataDir, { recursive: true });
  const lock = join(dataDir, 'supervisor.lock');
  const draft = `${lock}.${newId()}`;
  const ours = `${process.pid}\n${await startOf(process.pid)}\n`;
  await writeFile(draft, ours, { flag: 'wx' });
  try {
    // A link appears whole or not at all, and never replaces what another process put there first.
    while (!(await linked(draft, lock))) {
      const held = await readFile(lock, 'utf8').catch(gone);
      if (held === undefined) continue;
      const pid = await living(held);
      if (pid !== undefined) {
        throw new OperatorError(
          `Assay already runs on this data directory (process ${pid}). Stop it first, or set DATA_DIR to another folder.`,
        );
      }
      await bury(lock, held);
    }
  } finally {
    await unlink(draft);
  }
  return async () => {
    if ((await readFile(lock, 'utf8').catch(gone)) === ours) await unlink(lock);
  };
}

/** The process that a lock names, if it is still that one. */
async function living(held: string): Promise<number | undefined> {
  const [pid, begun] = held.split('\n');
  const number = Number(pid);
  if (!Number.isSafeInteger(number) || number <= 0 || !(await isAlive(number))) return undefined;
  return (await startOf(number)) === begun ? number : undefined;
}

/** Removes a lock that was found void. Another process may have done that too, and put its own there: that one stays. */
async function bury(lock: string, held: string): Promise<void> {
  const grave = `${lock}.${newId()}`;
  await rename(lock, grave).catch(gone);
  const buried = await readFile(grave, 'utf8').catch(gone);
  if (buried === undefined) return;
  if (buried !== held) await linked(grave, lock);
  await unlink(grave);
}

const linked = (from: string, to: string): Promise<boolean> =>
  link(from, to).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return false;
      throw error;
    },
  );

/** When a process began, in words that no other process of its number ever gets; empty where that cannot be told. */
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
  // The 22nd field: clock ticks from boot to start. The second one is a name, and may contain anything.
  const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  return `${boot.trim()} ${ticks}`;
}

function gone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
