import { readdirSync, readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

/** Resource use of the watched processes and their descendants. */
export interface Cost {
  /** The largest growth of any one process's peak memory; new processes count from 0. */
  readonly memoryMib: number;
  readonly cpuSeconds: number;
}

/** Measures what `doing` costs these processes; undefined except on Linux. */
export async function measureCost(pids: readonly number[], doing: () => Promise<void>): Promise<Cost | undefined> {
  if (process.platform !== 'linux') return void (await doing());
  const before = withDescendants(pids);
  await Promise.all(before.map(resetPeak));
  const base = new Map(await Promise.all(before.map(async (pid) => [pid, await peakMebibytes(pid)] as const)));
  const secondsBefore = cpuSeconds(before);
  let mebibytes = 0;
  const samplePeaks = async () => {
    for (const pid of withDescendants(pids)) {
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
  return { memoryMib: mebibytes, cpuSeconds: cpuSeconds(withDescendants(pids)) - secondsBefore };
}

/** Returns the peak resident memory of a process in MiB; 0 after it has exited. */
export async function peakMebibytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
}

/** Resets the peak. Where the kernel cannot, the measured growth is smaller. */
const resetPeak = (pid: number) => writeFile(`/proc/${pid}/clear_refs`, '5').catch(() => {});

/** Reads /proc synchronously: per sample that takes about an eighth of the CPU time of reading it with promises. */
function withDescendants(pids: readonly number[]): number[] {
  const children = new Map<number, number[]>();
  for (const pid of readdirSync('/proc').map(Number).filter(Boolean)) {
    const parent = Number(statFields(readStat(pid))[1]);
    children.set(parent, [...(children.get(parent) ?? []), pid]);
  }
  const below = (pid: number): number[] => [pid, ...(children.get(pid) ?? []).flatMap(below)];
  return [...new Set(pids.flatMap(below))];
}

/** Empty after the process has exited. */
function readStat(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return '';
  }
}

/** The fields after the name, which may contain any character: state, parent, … */
const statFields = (stat: string): string[] => stat.slice(stat.lastIndexOf(')') + 2).split(' ');

/** Includes exited children that their parent has waited for. */
function cpuSeconds(pids: readonly number[]): number {
  const each = pids.map((pid) => {
    const [utime = 0, stime = 0, cutime = 0, cstime = 0] = statFields(readStat(pid)).slice(11, 15).map(Number);
    return utime + stime + cutime + cstime;
  });
  return each.reduce((sum, ticks) => sum + ticks, 0) / TICKS_PER_SECOND;
}

const TICKS_PER_SECOND = 100; // USER_HZ on Linux
