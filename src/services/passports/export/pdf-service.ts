import { createSemaphore } from '../../../base/semaphore.ts';
import { openThreadPool, type ThreadPool } from '../../../base/thread-pool.ts';
import { withTimeLimit } from '../../../base/time-limit.ts';
import { startThread } from '../../../base/worker-entry.ts';
import { reportTooLong, tooManyReports } from '../api-errors.ts';
import type { LoadPageImage } from '../page-images.ts';
import { buildReport, type ReportSource } from './report.ts';

// Measured: the longest table (9999 rows) takes 4 to 12 s and less than 256 MiB.
const LIMITS = {
  maxConcurrent: 2,
  maxQueued: 16,
  /** Time limit without the wait in the queue. */
  timeoutMs: 120_000,
  /** Without images and the finished file. */
  heapMiB: 512,
  /** Idle threads are kept because loading the PDF library takes longer than most reports. */
  idleMs: 60_000,
};

/** Creates the PDF reports of a gateway in worker threads. */
export function createPdfService(limits = LIMITS) {
  const permits = createSemaphore({ ...limits, queueFull: tooManyReports });
  const closing = new AbortController();
  const resourceLimits = { maxOldGenerationSizeMb: limits.heapMiB };
  let threads: ThreadPool | undefined;
  let running = 0;
  let idle: NodeJS.Timeout | undefined;

  async function endThreads(): Promise<void> {
    clearTimeout(idle);
    const ended = threads;
    threads = undefined;
    await ended?.close();
  }

  async function print(source: ReportSource, picture: LoadPageImage, signal: AbortSignal): Promise<Buffer> {
    const report = await buildReport(source, picture);
    signal.throwIfAborted();
    threads ??= openThreadPool(
      () => startThread('./report-thread', import.meta.url, { resourceLimits }),
      'PDF reports',
    );
    const pdf = await threads.request<Uint8Array<ArrayBuffer>>(report, signal);
    return Buffer.from(pdf.buffer);
  }

  return {
    /**
     * `picture` loads page images. Rejects on abort, and with `REPORT_UNAVAILABLE` if the queue is full or the report
     * exceeds its limits.
     */
    async createPdf(source: ReportSource, picture: LoadPageImage, requestSignal: AbortSignal): Promise<Buffer> {
      const signal = AbortSignal.any([requestSignal, closing.signal]);
      const release = await permits.acquire(signal);
      clearTimeout(idle);
      running++;
      try {
        return await withTimeLimit(limits.timeoutMs, signal, (limited) =>
          print(source, picture, limited).catch((error: unknown) => {
            signal.throwIfAborted();
            throw limited.aborted || isOutOfMemory(error) ? reportTooLong() : error;
          }),
        );
      } finally {
        running--;
        if (running === 0) idle = setTimeout(() => void endThreads(), limits.idleMs).unref();
        release();
      }
    },

    async close(): Promise<void> {
      closing.abort();
      await endThreads();
    },
  };
}

const isOutOfMemory = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
