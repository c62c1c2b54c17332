import { setFlagsFromString } from 'node:v8';
import pLimit from 'p-limit';
import { startThread } from '../../base/worker-entry.ts';
import { createPersistentThread } from '../persistent-thread.ts';
import { unlessAborted } from '../unless-aborted.ts';
import type { EngineFiles } from './engine.ts';
import type { Segment } from './recognizer.ts';
import type { EngineRequest, ThreadOptions } from './thread.ts';

/**
 * The tensors of a window make V8 collect garbage four times; marking 28 MB beside the program took 150 ms of its threads' CPU
 * time. With this flag it marks in the pauses of the program. It is valid for all threads of the process. `--single-threaded-gc` and
 * `--no-parallel-marking` abort Node 20 when they are set later than its start.
 */
const markInPauses = () => setFlagsFromString('--no-concurrent-marking');

/** Opens an engine in a thread, so that the caller stays free for heartbeats. */
export async function openEngineThread(files: EngineFiles, threads: number) {
  const cancelledId = new SharedArrayBuffer(4);
  const lastCancelled = new Int32Array(cancelledId);
  const workerData: ThreadOptions = { files, threads, lastCancelled: cancelledId };
  markInPauses();
  const start = () => startThread('./thread', import.meta.url, { workerData });
  const thread = createPersistentThread(start, 'the engine');
  const oneAtATime = pLimit(1);
  let closed = false;
  let lastId = 0;

  async function run(request: Omit<EngineRequest, 'number'>, signal: AbortSignal): Promise<readonly Segment[]> {
    signal.throwIfAborted();
    if (closed) throw new Error('The recognizer was closed.');
    const number = ++lastId;
    const cancel = () => Atomics.store(lastCancelled, 0, number);
    signal.addEventListener('abort', cancel, { once: true });
    try {
      const message: EngineRequest = { number, ...request };
      return await thread.request(message, [request.samples.buffer as ArrayBuffer], signal);
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }

  await thread.ready();
  return {
    /**
     * Recognizes windows one after another. Transfers the memory of their samples. Rejects at once when the signal aborts
     * (the thread stops before its next token), when the engine fails, and when the thread ends or hangs (the next call
     * starts a new one).
     */
    recognize(request: Omit<EngineRequest, 'number'>, signal: AbortSignal) {
      const running = oneAtATime(() => run(request, signal));
      return unlessAborted(running, signal);
    },
    /** Ends the thread before its next token; pending calls are rejected. */
    async close() {
      closed = true;
      Atomics.store(lastCancelled, 0, lastId);
      await thread.close();
    },
  };
}
