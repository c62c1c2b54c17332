import { reportTooLong } from '../api-errors.ts';
import { type LoadPageImage, loadExcerpts } from './page-excerpts.ts';
import { type PdfWorker, startPdfWorker } from './pdf-worker.ts';
import type { ReportSource } from './report.ts';
import { createSemaphore } from './semaphore.ts';

/** Creates the PDF reports of a gateway in worker threads. */
export interface PdfService {
  /**
   * `picture` loads page images. Rejects on abort, and with `REPORT_UNAVAILABLE` if the queue is full or the report
   * exceeds its limits.
   */
  createPdf(source: ReportSource, picture: LoadPageImage, signal: AbortSignal): Promise<Buffer>;
  close(): Promise<void>;
}

export interface PdfLimits {
  readonly maxConcurrent: number;
  readonly maxQueued: number;
  /** Time limit without the wait in the queue. */
  readonly timeoutMs: number;
  readonly heapMiB: number;
  /** Idle threads are kept because loading the PDF library takes longer than most reports. */
  readonly idleMs: number;
}

// Measured: the longest table (9999 rows) takes 4 to 12 s and less than 256 MiB.
const LIMITS: PdfLimits = { maxConcurrent: 2, maxQueued: 16, timeoutMs: 120_000, heapMiB: 512, idleMs: 60_000 };

export function createPdfService(limits: PdfLimits = LIMITS): PdfService {
  const permits = createSemaphore(limits);
  const threads = new Set<PdfWorker>();
  const idle = new Map<PdfWorker, NodeJS.Timeout>();
  const closing = new AbortController();

  function acquireThread(): PdfWorker {
    for (const [thread, timer] of idle) {
      clearTimeout(timer);
      idle.delete(thread);
      if (thread.isAlive) return thread;
      threads.delete(thread);
    }
    const thread = startPdfWorker(limits.heapMiB);
    threads.add(thread);
    return thread;
  }

  async function endThread(thread: PdfWorker): Promise<void> {
    threads.delete(thread);
    await thread.end();
  }

  function keepIdle(thread: PdfWorker): void {
    const timer = setTimeout(() => {
      idle.delete(thread);
      void endThread(thread);
    }, limits.idleMs);
    idle.set(thread, timer.unref());
  }

  /** Ends the thread after an error, because it would continue the report. */
  async function printInThread(source: ReportSource, picture: LoadPageImage, signal: AbortSignal): Promise<Buffer> {
    const thread = acquireThread();
    try {
      const pdf = await thread.createPdf(source, (places) => loadExcerpts(source.opened, places, picture), signal);
      keepIdle(thread);
      return pdf;
    } catch (error) {
      await endThread(thread);
      throw error;
    }
  }

  return {
    async createPdf(source, picture, requestSignal) {
      const signal = AbortSignal.any([requestSignal, closing.signal]);
      const release = await permits.acquire(signal);
      const tooLong = AbortSignal.timeout(limits.timeoutMs);
      try {
        return await printInThread(source, picture, AbortSignal.any([signal, tooLong]));
      } catch (error) {
        signal.throwIfAborted();
        if (tooLong.aborted || isOutOfMemory(error)) throw reportTooLong();
        throw error;
      } finally {
        release();
      }
    },
    async close() {
      closing.abort();
      for (const timer of idle.values()) clearTimeout(timer);
      await Promise.all([...threads].map(endThread));
    },
  };
}

const isOutOfMemory = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
