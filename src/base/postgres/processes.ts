import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

export interface Process {
  pid: number;
  parent: number;
  /** Command line or process title; empty if not readable. */
  command: string;
}

/** False for a zombie, which may stay until its parent ends. */
export async function isAlive(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  if (process.platform !== 'linux') return true;
  return !/^[ZX]/.test(await statusOf(pid));
}

/** All processes, or the process `pid`. Reads /proc on Linux, because slim containers have no `ps`. */
export async function processes(pid?: number): Promise<Process[]> {
  if (process.platform === 'win32') return [];
  if (process.platform !== 'linux') return psTable(pid);
  const pids = pid === undefined ? (await readdir('/proc')).map(Number).filter(Boolean) : [pid];
  return Promise.all(
    pids.map(async (each) => {
      const command = await readFile(`/proc/${each}/cmdline`, 'utf8').catch(() => '');
      const [, parent = ''] = (await statusOf(each)).split(' ');
      return { pid: each, parent: Number(parent), command: command.replaceAll('\0', ' ').trim() };
    }),
  );
}

/** Start time, unique per pid; empty where unknown. */
export async function startTimeOf(pid: number): Promise<string> {
  if (process.platform === 'win32') return '';
  if (process.platform !== 'linux') return (await ps('-o', 'lstart=', '-p', String(pid))).trim();
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '');
  // Field 22: clock ticks from boot to start.
  return `${boot.trim()} ${(await statusOf(pid)).split(' ')[19] ?? ''}`;
}

/** State and later fields, "S 1 …"; the preceding name may contain any character. */
async function statusOf(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return stat.slice(stat.lastIndexOf(')') + 2);
}

async function psTable(pid?: number): Promise<Process[]> {
  const selection = pid === undefined ? ['-A'] : ['-p', String(pid)];
  const table = await ps('-ww', '-o', 'pid=,ppid=,command=', ...selection);
  return table.split('\n').flatMap((line) => {
    const [, each, parent, command = ''] = /^\s*(\d+)\s+(\d+)\s+(\S.*)?$/.exec(line) ?? [];
    return each === undefined ? [] : [{ pid: Number(each), parent: Number(parent), command: command.trim() }];
  });
}

const ps = (...args: string[]): Promise<string> =>
  promisify(execFile)('ps', args).then(
    ({ stdout }) => stdout,
    () => '',
  );
