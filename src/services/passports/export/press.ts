import { once } from 'node:events';
import { startThread } from '../../../base/programs.ts';
import type { Prove, ReportSource } from './report.ts';
import type { Said } from './report-thread.ts';

/** A thread that makes PDFs of reports, one at a time. */
export interface Press {
  /**
   * Asks `prove` once. Throws the signal's reason once that aborts, what `prove` throws, and what ended the thread; after
   * any of them it is of no more use, and is to be ended.
   */
  print(source: ReportSource, prove: Prove, signal: AbortSignal): Promise<Buffer>;
  /** False once it has ended, whatever ended it. */
  readonly alive: boolean;
  /** Ends it, whatever it is doing. */
  end(): Promise<void>;
}

/** Starts one; `heapMiB` bounds what it may hold, pictures and the finished file aside. An idle one holds no process. */
export function startPress(heapMiB: number): Press {
  const thread = startThread('./report-thread', import.meta.url, {
    resourceLimits: { maxOldGenerationSizeMb: heapMiB },
  });
  let alive = true;
  // What ends it before it was asked is told to who asks.
  const ended = new Promise<never>((_, reject) => {
    const end = (reason: Error) => {
      alive = false;
      reject(reason);
    };
    thread.once('error', end);
    thread.once('exit', () => end(new Error('The thread that prints reports has ended.')));
  });
  ended.catch(() => {});

  async function said(signal: AbortSignal): Promise<Said> {
    const settled = new AbortController();
    try {
      const word = once(thread, 'message', { signal: AbortSignal.any([signal, settled.signal]) });
      return ((await Promise.race([word, ended])) as [Said])[0];
    } finally {
      settled.abort();
    }
  }

  return {
    async print(source, prove, signal) {
      thread.ref();
      try {
        signal.throwIfAborted();
        thread.postMessage(source);
        for (;;) {
          const answer = await said(signal);
          if ('pdf' in answer) return Buffer.from(answer.pdf.buffer);
          thread.postMessage(await prove(answer.places));
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
