import { startThread } from '../../../../base/programs.ts';

/** From `begin` to `end`, this process may use so much CPU; beyond, it ends by the signal {@link OVERRUN}. */
export interface Watch {
  begin(cpuSeconds: number): void;
  end(): void;
}

/**
 * The signal by which a process ends that used up its time: "virtual alarm", which is what it is, and which unlike
 * SIGXCPU leaves no memory dump with somebody's document in it. Windows has but the one.
 */
export const OVERRUN: NodeJS.Signals = process.platform === 'win32' ? 'SIGKILL' : 'SIGVTALRM';

/**
 * Watches this process from a thread of its own: while the main thread is inside a call that does not return, nothing
 * that it has set itself would come to be done. It is CPU that is counted, so a busy machine makes no file too complex.
 */
export function startWatch(): Watch {
  const limit: Limit = new BigInt64Array(new SharedArrayBuffer(8));
  startThread('./pdfium-watch-thread', import.meta.url, { workerData: limit }).unref();
  return {
    begin: (cpuSeconds) => void Atomics.store(limit, 0, cpuMicroseconds() + BigInt(cpuSeconds * 1e6)),
    end: () => void Atomics.store(limit, 0, 0n),
  };
}

/** What the process may have used when it is to end, in {@link cpuMicroseconds}; 0 while it is not watched. */
export type Limit = BigInt64Array<SharedArrayBuffer>;

/** CPU that this process has used, all its threads together. */
export function cpuMicroseconds(): bigint {
  const { user, system } = process.cpuUsage();
  return BigInt(user + system);
}
