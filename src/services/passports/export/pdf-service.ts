import { startThread } from '../../../base/worker-entry.ts';
import type { ThreadPool } from '../../../ml/thread-pool.ts';
import { reportTooLong } from '../api-errors.ts';
import type { LoadPageImage } from './page-excerpts.ts';
import { buildReport, type ReportSource } from './report.ts';
import { createSemaphore } from './semaphore.ts';

export interface PdfLimits {
  readonly maxConcurrent: number;
  readonly maxQueued: number;
  /** Time limit without the wait in the queue. */
  readonly timeoutMs: number;
  /** Without images and the finished file. */
  readonly heapMiB: number;
  /** Idle threads are kept because loading the PDF library takes longer than most reports. */
  readonly idleMs: number;
}

// Measured: the longest table (9999 rows) takes 4 to 12 s and less than 256 MiB.
const LIMITS: PdfLimits = { maxConcurrent: 2, maxQueued: 16, timeoutMs: 120_000, heapMiB: 512, idleMs: 60_000 };

/** Creates the PDF reports of a gateway in worker threads. */
export function createPdfService(limits: PdfLimits = LIMITS) {
  const permits = createSemaphore(limits);
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
    const { openThreadPool } = await import('../../../ml/thread-pool.ts');
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
      const tooLong = AbortSignal.timeout(limits.timeoutMs);
      try {
        return await print(source, picture, AbortSignal.any([signal, tooLong]));
      } catch (error) {
        signal.throwIfAborted();
        if (tooLong.aborted || isOutOfMemory(error)) throw reportTooLong();
        throw error;
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
