import type { Transferable, Worker } from 'node:worker_threads';
import { nextMessage, requestAnswer } from '../base/thread-requests.ts';

/**
 * How long a network run may take after its request is aborted: terminating a thread during a run crashes the process. Chosen:
 * several times the longest run, the encoder of the largest model on one core.
 */
const HUNG_MS = 120_000;

/** A thread that is restarted on the next request after it ends. `of` names its task in errors ("the network"). */
export function createPersistentThread<Ready>(
  start: () => Worker,
  of: string,
  { hungMs = HUNG_MS, onSecondHang = crash }: { hungMs?: number; onSecondHang?: (error: Error) => void } = {},
) {
  /** Replaced threads that still run, each with its memory. */
  let abandoned = 0;
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
     * does not answer within `hungMs` after the signal aborts: then the next request starts another thread. If a replaced
     * thread still runs then, `onSecondHang` is called, by default to end the process.
     */
    async request<Answer>(message: unknown, transfer?: Transferable[], signal?: AbortSignal): Promise<Answer> {
      const started = ensureStarted();
      const { worker, ready } = started;
      const send = async () => {
        await ready;
        return requestAnswer<Answer>(worker, of, message, transfer);
      };
      let timer: NodeJS.Timeout | undefined;
      let onAbort = () => {};
      const hung = new Promise<never>((_, reject) => {
        onAbort = () => {
          timer = setTimeout(() => {
            const error = new Error(`The thread of ${of} does not answer.`);
            if (abandoned > 0) onSecondHang(error);
            if (thread === started) thread = undefined;
            // Native code runs on, beside the next thread.
            abandoned++;
            worker.once('exit', () => abandoned--);
            void worker.terminate();
            reject(error);
          }, hungMs);
        };
      });
      if (signal?.aborted) onAbort();
      signal?.addEventListener('abort', onAbort, { once: true });
      try {
        return await Promise.race([send(), hung]);
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

/** As an uncaught error: the supervisor starts the process again, and its tasks are retried. */
const crash = (error: Error): void => {
  setImmediate(() => {
    throw error;
  });
};
