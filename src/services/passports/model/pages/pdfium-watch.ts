import { startThread } from '../../../../base/worker-entry.ts';

/** Not SIGXCPU, whose core dump would contain the document. */
export const CPU_LIMIT_SIGNAL: NodeJS.Signals = process.platform === 'win32' ? 'SIGKILL' : 'SIGVTALRM';

/**
 * Kills this process with {@link CPU_LIMIT_SIGNAL} if it exceeds its CPU time, which does not depend on the machine's
 * load. Runs in a thread, because timers do not fire during a library call.
 */
export function startCpuWatchdog() {
  const limit: CpuLimit = new BigInt64Array(new SharedArrayBuffer(8));
  startThread('./pdfium-watch-thread', import.meta.url, { workerData: limit }).unref();
  return {
    begin: (cpuSeconds: number) => void Atomics.store(limit, 0, cpuMicroseconds() + BigInt(cpuSeconds * 1e6)),
    end: () => void Atomics.store(limit, 0, 0n),
  };
}

/** The limit of {@link cpuMicroseconds}; 0 if inactive. */
export type CpuLimit = BigInt64Array<SharedArrayBuffer>;

/** The CPU time of all threads. */
export function cpuMicroseconds(): bigint {
  const { user, system } = process.cpuUsage();
  return BigInt(user + system);
}
