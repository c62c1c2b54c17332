import { once } from 'node:events';
import { startThread } from '../../../base/worker-entry.ts';
import type { CutExcerpts, ReportSource } from './report.ts';
import type { ReportThreadMessage } from './report-thread.ts';

/** Creates one PDF report at a time. */
export interface PdfWorker {
  /**
   * Calls `cutExcerpts` once. Rejects on abort, with the error of `cutExcerpts`, or when the thread ends; then the
   * thread must be ended.
   */
  createPdf(source: ReportSource, cutExcerpts: CutExcerpts, signal: AbortSignal): Promise<Buffer>;
  /** False once the thread has ended. */
  readonly isAlive: boolean;
  end(): Promise<void>;
}

/** `heapMiB` excludes images and the finished file. An idle thread does not keep the process alive. */
export function startPdfWorker(heapMiB: number): PdfWorker {
  const thread = startThread('./report-thread', import.meta.url, {
    resourceLimits: { maxOldGenerationSizeMb: heapMiB },
  });
  let alive = true;
  // Rejects the next `print` too if the thread ends before it.
  const ended = new Promise<never>((_, reject) => {
    const end = (reason: Error) => {
      alive = false;
      reject(reason);
    };
    thread.once('error', end);
    thread.once('exit', () => end(new Error('The thread that prints reports has ended.')));
  });
  ended.catch(() => {});

  async function nextMessage(signal: AbortSignal): Promise<ReportThreadMessage> {
    const received = new AbortController();
    try {
      const message = once(thread, 'message', { signal: AbortSignal.any([signal, received.signal]) });
      return ((await Promise.race([message, ended])) as [ReportThreadMessage])[0];
    } finally {
      received.abort();
    }
  }

  return {
    async createPdf(source, cutExcerpts, signal) {
      thread.ref();
      try {
        signal.throwIfAborted();
        thread.postMessage(source);
        for (;;) {
          const answer = await nextMessage(signal);
          if ('pdf' in answer) return Buffer.from(answer.pdf.buffer);
          thread.postMessage(await cutExcerpts(answer.places));
        }
      } catch (error) {
        signal.throwIfAborted();
        throw error;
      } finally {
        thread.unref();
      }
    },
    get isAlive() {
      return alive;
    },
    async end() {
      alive = false;
      await thread.terminate();
    },
  };
}
