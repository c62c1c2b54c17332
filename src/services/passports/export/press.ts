import { once } from 'node:events';
import { startThread } from '../../../base/programs.ts';
import type { CutExcerpts, ReportSource } from './report.ts';
import type { Said } from './report-thread.ts';

/** Creates one PDF report at a time. */
export interface Press {
  /**
   * Calls `cutExcerpts` once. Rejects on abort, with the error of `cutExcerpts`, or when the thread ends; then the
   * thread must be ended.
   */
  print(source: ReportSource, cutExcerpts: CutExcerpts, signal: AbortSignal): Promise<Buffer>;
  /** False once the thread has ended. */
  readonly alive: boolean;
  end(): Promise<void>;
}

/** `heapMiB` excludes images and the finished file. An idle thread does not keep the process alive. */
export function startPress(heapMiB: number): Press {
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

  async function nextMessage(signal: AbortSignal): Promise<Said> {
    const received = new AbortController();
    try {
      const message = once(thread, 'message', { signal: AbortSignal.any([signal, received.signal]) });
      return ((await Promise.race([message, ended])) as [Said])[0];
    } finally {
      received.abort();
    }
  }

  return {
    async print(source, cutExcerpts, signal) {
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
    get alive() {
      return alive;
    },
    async end() {
      alive = false;
      await thread.terminate();
    },
  };
}
