import { readFile, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { type Process, processes } from '../../src/base/postgres/processes.ts';

/** What something has cost the processes that were watched, and those that they started. */
export interface Cost {
  /** How far the one that grew most has grown, at its highest; a process that was not there before grows from nothing. */
  readonly mebibytes: number;
  /** CPU that all of them have used. */
  readonly seconds: number;
}

/** What `doing` costs these processes; undefined where the kernel does not tell (anything but Linux). */
export async function costOf(pids: readonly number[], doing: () => Promise<void>): Promise<Cost | undefined> {
  if (process.platform !== 'linux') return void (await doing());
  const before = await family(pids);
  await Promise.all(before.map(forgetPeak));
  const base = new Map(await Promise.all(before.map(async (pid) => [pid, await peakMebibytes(pid)] as const)));
  const secondsBefore = await cpuSeconds(before);
  let mebibytes = 0;
  const look = async () => {
    for (const pid of await family(pids)) {
      mebibytes = Math.max(mebibytes, (await peakMebibytes(pid)) - (base.get(pid) ?? 0));
    }
  };
  const over = new AbortController();
  // Helpers end with what they were started for, and their peak with them.
  const watching = (async () => {
    for (; !over.signal.aborted; await delay(50, undefined, { signal: over.signal }).catch(() => {})) await look();
  })();
  await doing().finally(() => {
    over.abort();
    return watching;
  });
  await look();
  return { mebibytes, seconds: (await cpuSeconds(await family(pids))) - secondsBefore };
}

/** The most memory that a process has taken so far; 0 for one that has ended meanwhile. */
export async function peakMebibytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
}

/** Lets the peak begin anew at what the process holds now. A kernel that cannot leaves it, which makes bounds looser. */
const forgetPeak = (pid: number) => writeFile(`/proc/${pid}/clear_refs`, '5').catch(() => {});

/** These processes and all below them. */
async function family(pids: readonly number[]): Promise<number[]> {
  const all = await processes();
  const below = (pid: number): number[] => [pid, ...childrenOf(all, pid).flatMap((child) => below(child.pid))];
  return [...new Set(pids.flatMap(below))];
}

const childrenOf = (all: readonly Process[], pid: number) => all.filter(({ parent }) => parent === pid);

/** With what their children had used that have ended: whoever is counted here must not be waited for elsewhere. */
async function cpuSeconds(pids: readonly number[]): Promise<number> {
  const each = await Promise.all(
    pids.map(async (pid) => {
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
      const [utime = 0, stime = 0, cutime = 0, cstime = 0] = stat
        .slice(stat.lastIndexOf(')') + 2)
        .split(' ')
        .slice(11, 15)
        .map(Number);
      return utime + stime + cutime + cstime;
    }),
  );
  return each.reduce((sum, ticks) => sum + ticks, 0) / TICKS_PER_SECOND;
}

const TICKS_PER_SECOND = 100; // of every Linux there is
