import type { Worker } from 'node:worker_threads';
import { createGate } from '../gate.ts';
import { startThread } from '../thread-entry.ts';
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
  let thread: { readonly worker: Worker; readonly ready: Promise<unknown>; readonly ended: Promise<void> } | undefined;
  let closed = false;
  let asked = 0;

  const start = async (): Promise<Worker> => {
    if (closed) throw new Error('The recognizer was closed.');
    if (!thread) {
      const worker = startThread('speech/thread', { files, threads, givenUp } satisfies ThreadOptions);
      const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
      const here = { worker, ready: said<Ready>(worker), ended };
      const leave = () => {
        if (thread === here) thread = undefined;
      };
      worker.once('error', leave).once('exit', leave);
      thread = here;
    }
    const { worker, ready } = thread;
    await ready;
    return worker;
  };

  const ask: EngineThread['recognize'] = async (samples, language, signal) => {
    signal.throwIfAborted();
    const worker = await start();
    signal.throwIfAborted();
    const number = ++asked;
    const giveUp = () => Atomics.store(new Int32Array(givenUp), 0, number);
    signal.addEventListener('abort', giveUp, { once: true });
    try {
      const answer = said<Answer>(worker);
      worker.postMessage({ number, samples, language } satisfies Question, [samples.buffer as ArrayBuffer]);
      const given = await answer;
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
      thread?.worker.postMessage('leave');
      await thread?.ended;
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

/** The next thing that the thread says; rejects when it dies instead. */
function said<T>(worker: Worker): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = () => {
      worker.off('message', onMessage).off('error', onError).off('exit', onExit);
    };
    const onMessage = (message: T) => {
      end();
      resolve(message);
    };
    const onError = (error: unknown) => {
      end();
      reject(error instanceof Error ? error : new Error(String(error)));
    };
    const onExit = () => {
      end();
      reject(new Error('The thread of the engine ended.'));
    };
    worker.on('message', onMessage).on('error', onError).on('exit', onExit);
  });
}
