import type { Transferable, Worker } from 'node:worker_threads';
import { nextMessage, requestAnswer } from '../base/thread-requests.ts';

/** A thread that is restarted on the next request after it ends. `of` names its task in errors ("the network"). */
export function createPersistentThread<Ready>(start: () => Worker, of: string) {
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
    /** Returns the answer to a request. The caller sends one at a time. Rejects if the request fails or the thread ends. */
    async request<Answer>(message: unknown, transfer?: Transferable[]): Promise<Answer> {
      const { worker, ready } = ensureStarted();
      await ready;
      return requestAnswer<Answer>(worker, of, message, transfer);
    },
    async close(): Promise<void> {
      thread?.worker.postMessage('close');
      await thread?.ended;
    },
  };
}
