import { readFile, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { type Process, processes } from '../../../src/base/postgres/processes.ts';

/** Resource use of the watched processes and their descendants. */
export interface Cost {
  /** The largest growth of any one process's peak memory; new processes count from 0. */
  readonly memoryMib: number;
  readonly cpuSeconds: number;
}

/** Measures what `doing` costs these processes; undefined except on Linux. */
export async function measureCost(pids: readonly number[], doing: () => Promise<void>): Promise<Cost | undefined> {
  if (process.platform !== 'linux') return void (await doing());
  const before = await withDescendants(pids);
  await Promise.all(before.map(resetPeak));
  const base = new Map(await Promise.all(before.map(async (pid) => [pid, await peakMebibytes(pid)] as const)));
  const secondsBefore = await cpuSeconds(before);
  let mebibytes = 0;
  const samplePeaks = async () => {
    for (const pid of await withDescendants(pids)) {
      mebibytes = Math.max(mebibytes, (await peakMebibytes(pid)) - (base.get(pid) ?? 0));
    }
  };
  const over = new AbortController();
  // Sampled, because helper processes exit with their work.
  const watching = (async () => {
    for (; !over.signal.aborted; await delay(50, undefined, { signal: over.signal }).catch(() => {}))
      await samplePeaks();
  })();
  await doing().finally(() => {
    over.abort();
    return watching;
  });
  await samplePeaks();
  return { memoryMib: mebibytes, cpuSeconds: (await cpuSeconds(await withDescendants(pids))) - secondsBefore };
}

/** Returns the peak resident memory of a process in MiB; 0 after it has exited. */
export async function peakMebibytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
}

/** Resets the peak. Where the kernel cannot, the measured growth is smaller. */
const resetPeak = (pid: number) => writeFile(`/proc/${pid}/clear_refs`, '5').catch(() => {});

async function withDescendants(pids: readonly number[]): Promise<number[]> {
  const all = await processes();
  const below = (pid: number): number[] => [pid, ...childrenOf(all, pid).flatMap((child) => below(child.pid))];
  return [...new Set(pids.flatMap(below))];
}

const childrenOf = (all: readonly Process[], pid: number) => all.filter(({ parent }) => parent === pid);

/** Includes exited children that their parent has waited for. */
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

const TICKS_PER_SECOND = 100; // USER_HZ on Linux
