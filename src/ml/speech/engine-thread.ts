import { startThread } from '../../base/programs.ts';
import { createGate } from '../gate.ts';
import { keepThread } from '../kept-thread.ts';
import type { UtteredSegment } from './engine.ts';
import type { EngineFiles } from './engine-files.ts';
import type { Answer, Question, Ready, ThreadOptions } from './thread.ts';

/** An engine in a thread of its own, so that whoever asks it stays free to beat. */
export interface EngineThread {
  /**
   * Asks the engine, one window after another. The memory of `samples` is given away. Rejects with the signal's reason
   * as soon as that aborts (the thread stops between two tokens), and with an error when the engine fails or its thread
   * dies, in which case the next question gets a new one.
   */
  recognize(
    samples: Float32Array,
    language: string | undefined,
    signal: AbortSignal,
  ): Promise<readonly UtteredSegment[]>;
  /** Ends the thread, between two tokens; what waits or is being heard is rejected. */
  close(): Promise<void>;
}

/** Resolves when the engine is open; rejects with the reason when it cannot be opened. */
export async function openEngineThread(files: EngineFiles, threads: number): Promise<EngineThread> {
  const givenUp = new SharedArrayBuffer(4);
  const oneAtATime = createGate(1);
  const thread = keepThread<Ready>(
    () => startThread('./thread', import.meta.url, { workerData: { files, threads, givenUp } satisfies ThreadOptions }),
    'the engine',
  );
  let closed = false;
  let asked = 0;

  const start = async (): Promise<void> => {
    if (closed) throw new Error('The recognizer was closed.');
    await thread.ready();
  };

  const ask: EngineThread['recognize'] = async (samples, language, signal) => {
    signal.throwIfAborted();
    await start();
    signal.throwIfAborted();
    const number = ++asked;
    const giveUp = () => Atomics.store(new Int32Array(givenUp), 0, number);
    signal.addEventListener('abort', giveUp, { once: true });
    try {
      const question: Question = { number, samples, language };
      const given = await thread.ask<Answer>(question, [samples.buffer as ArrayBuffer]);
      signal.throwIfAborted();
      if ('error' in given) throw new Error(given.error);
      return given.segments;
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
  };

  await start();
  return {
    recognize: (samples, language, signal) =>
      unlessAborted(
        oneAtATime(() => ask(samples, language, signal)),
        signal,
      ),
    async close() {
      closed = true;
      Atomics.store(new Int32Array(givenUp), 0, asked);
      await thread.leave();
    },
  };
}

/** What the promise brings, unless the signal comes first; the promise is left to itself then. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
