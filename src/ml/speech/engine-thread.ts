import pLimit from 'p-limit';
import { startThread } from '../../base/worker-entry.ts';
import { createPersistentThread } from '../persistent-thread.ts';
import { unlessAborted } from '../unless-aborted.ts';
import type { EngineFiles, EngineSegment } from './engine.ts';
import type { EngineRequest, Ready, ThreadOptions } from './thread.ts';

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
  const oneAtATime = pLimit(1);
  const thread = createPersistentThread<Ready>(
    () =>
      startThread('./thread', import.meta.url, {
        workerData: { files, threads, lastCancelled: cancelledId } satisfies ThreadOptions,
      }),
    'the engine',
  );
  let closed = false;
  let lastId = 0;

  const recognize: EngineThread['recognize'] = async (samples, language, signal) => {
    signal.throwIfAborted();
    if (closed) throw new Error('The recognizer was closed.');
    const number = ++lastId;
    const cancel = () => Atomics.store(new Int32Array(cancelledId), 0, number);
    signal.addEventListener('abort', cancel, { once: true });
    try {
      const request: EngineRequest = { number, samples, language };
      return await thread.request<EngineSegment[]>(request, [samples.buffer as ArrayBuffer]);
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  };

  await thread.ready();
  return {
    recognize: (samples, language, signal) =>
      unlessAborted(
        oneAtATime(() => recognize(samples, language, signal)),
        signal,
      ),
    async close() {
      closed = true;
      Atomics.store(new Int32Array(cancelledId), 0, lastId);
      await thread.close();
    },
  };
}
