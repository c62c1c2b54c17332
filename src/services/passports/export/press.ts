import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
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

// Built, the program lies beside this file as JavaScript; from sources it is TypeScript, which Node 20 cannot read.
const FROM_SOURCE = import.meta.url.endsWith('.ts');
const READS_TYPES = 'typescript' in process.features && process.features.typescript !== false;

/** Starts one; `heapMiB` bounds what it may hold, pictures and the finished file aside. An idle one holds no process. */
export function startPress(heapMiB: number): Press {
  const program = new URL(`./report-thread.${FROM_SOURCE ? 'ts' : 'js'}`, import.meta.url);
  const reader = new URL('../../../ml/testing/read-types.mjs', import.meta.url).href;
  const thread = new Worker(program, {
    resourceLimits: { maxOldGenerationSizeMb: heapMiB },
    ...(FROM_SOURCE && !READS_TYPES && { execArgv: ['--import', reader] }),
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
