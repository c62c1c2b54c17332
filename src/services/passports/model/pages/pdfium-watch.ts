import { startThread } from '../../../../base/programs.ts';

/** Limits the CPU time of this process between `begin` and `end`; then kills it with {@link CPU_LIMIT_SIGNAL}. */
export interface Watch {
  begin(cpuSeconds: number): void;
  end(): void;
}

/** SIGVTALRM, because SIGXCPU writes a core dump, which would contain the document. */
export const OVERRUN: NodeJS.Signals = process.platform === 'win32' ? 'SIGKILL' : 'SIGVTALRM';

/**
 * Starts the watchdog in a thread, because a timer of the main thread does not fire during a long library call. Measures
 * CPU time, so that the limit does not depend on the load of the machine.
 */
export function startWatch(): Watch {
  const limit: Limit = new BigInt64Array(new SharedArrayBuffer(8));
  startThread('./pdfium-watch-thread', import.meta.url, { workerData: limit }).unref();
  return {
    begin: (cpuSeconds) => void Atomics.store(limit, 0, cpuMicroseconds() + BigInt(cpuSeconds * 1e6)),
    end: () => void Atomics.store(limit, 0, 0n),
  };
}

/** The limit in {@link cpuMicroseconds}, shared with the thread; 0 if inactive. */
export type Limit = BigInt64Array<SharedArrayBuffer>;

/** CPU time of this process, including all threads. */
export function cpuMicroseconds(): bigint {
  const { user, system } = process.cpuUsage();
  return BigInt(user + system);
}
