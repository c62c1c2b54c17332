import type { Transferable, Worker } from 'node:worker_threads';
import { nextMessage, requestAnswer } from '../base/thread-requests.ts';

/**
 * How long a network run may take after its request is aborted: terminating a thread during a run crashes the process. Chosen:
 * several times the longest run, the encoder of the largest model on one core.
 */
const HUNG_MS = 120_000;

/** A thread that is restarted on the next request after it ends. `of` names its task in errors ("the network"). */
export function createPersistentThread<Ready>(start: () => Worker, of: string, { hungMs = HUNG_MS } = {}) {
  let thread: { readonly worker: Worker; readonly ready: Promise<Ready>; readonly ended: Promise<void> } | undefined;

  const ensureStarted = () => {
    if (thread) return thread;
    const worker = start();
    const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
    const started = { worker, ready: nextMessage<Ready>(worker, of), ended };
    thread = started;
    const reset = () => {
      if (thread === started) thread = undefined;
    };
    // Registered before the request's listeners: the next request must not go to an ending thread.
    worker.once('error', reset).once('exit', reset);
    return started;
  };

  return {
    /** Starts the thread if needed. Returns its first message; rejects if it ends first. */
    ready: async () => ensureStarted().ready,
    /**
     * Returns the answer to a request. The caller sends one at a time. Rejects if the request fails or the thread ends, or
     * does not answer within `hungMs` after the signal aborts: then the next request starts another thread.
     */
    async request<Answer>(message: unknown, transfer?: Transferable[], signal?: AbortSignal): Promise<Answer> {
      const started = ensureStarted();
      const { worker, ready } = started;
      await ready;
      let timer: NodeJS.Timeout | undefined;
      let onAbort = () => {};
      const hung = new Promise<never>((_, reject) => {
        onAbort = () => {
          timer = setTimeout(() => {
            if (thread === started) thread = undefined;
            // Native code runs on, beside the next thread.
            void worker.terminate();
            reject(new Error(`The thread of ${of} does not answer.`));
          }, hungMs);
        };
      });
      if (signal?.aborted) onAbort();
      signal?.addEventListener('abort', onAbort, { once: true });
      try {
        return await Promise.race([requestAnswer<Answer>(worker, of, message, transfer), hung]);
      } finally {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
      }
    },
    async close(): Promise<void> {
      thread?.worker.postMessage('close');
      await thread?.ended;
    },
  };
}
