import { startThread } from '../../base/worker-entry.ts';
import { createPersistentThread } from '../persistent-thread.ts';
import { createSemaphore } from '../semaphore.ts';
import type { EngineFiles, EngineSegment } from './engine.ts';
import type { EngineRequest, EngineResponse, Ready, ThreadOptions } from './thread.ts';

/** An engine in a thread, so that the caller stays free for heartbeats. */
export interface EngineThread {
  /**
   * Recognizes windows one after another. Transfers the memory of `samples`. Rejects at once when the signal aborts
   * (the thread stops before its next token), when the engine fails, and when the thread ends (the next call starts a
   * new one).
   */
  recognize(
    samples: Float32Array,
    language: string | undefined,
    signal: AbortSignal,
  ): Promise<readonly EngineSegment[]>;
  /** Ends the thread before its next token; pending calls are rejected. */
  close(): Promise<void>;
}

export async function openEngineThread(files: EngineFiles, threads: number): Promise<EngineThread> {
  const cancelledId = new SharedArrayBuffer(4);
  const semaphore = createSemaphore(1);
  const thread = createPersistentThread<Ready>(
    () =>
      startThread('./thread', import.meta.url, {
        workerData: { files, threads, lastCancelled: cancelledId } satisfies ThreadOptions,
      }),
    'the engine',
  );
  let closed = false;
  let lastId = 0;

  const start = async (): Promise<void> => {
    if (closed) throw new Error('The recognizer was closed.');
    await thread.ready();
  };

  const recognize: EngineThread['recognize'] = async (samples, language, signal) => {
    signal.throwIfAborted();
    await start();
    signal.throwIfAborted();
    const number = ++lastId;
    const cancel = () => Atomics.store(new Int32Array(cancelledId), 0, number);
    signal.addEventListener('abort', cancel, { once: true });
    try {
      const request: EngineRequest = { number, samples, language };
      const response = await thread.request<EngineResponse>(request, [samples.buffer as ArrayBuffer]);
      signal.throwIfAborted();
      if ('error' in response) throw new Error(response.error);
      return response.segments;
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  };

  await start();
  return {
    recognize: (samples, language, signal) =>
      unlessAborted(
        semaphore(() => recognize(samples, language, signal)),
        signal,
      ),
    async close() {
      closed = true;
      Atomics.store(new Int32Array(cancelledId), 0, lastId);
      await thread.close();
    },
  };
}

/** Settles like the promise, or rejects when the signal aborts first. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
