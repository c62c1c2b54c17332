import type { Worker } from 'node:worker_threads';
import { requestAnswer } from './thread-requests.ts';

export type ThreadPool = ReturnType<typeof openThreadPool>;

/** Sends a message and returns the answer. */
export type ThreadRequest = <Answer>(message: unknown) => Promise<Answer>;

/** `start` creates a thread that serves requests; `of` names its task in errors ("the cleaner"). */
export function openThreadPool(start: () => Worker, of: string) {
  const all = new Set<Worker>();
  const idle = new Set<Worker>();

  const remove = (thread: Worker) => {
    idle.delete(thread);
    all.delete(thread);
  };

  const startThread = () => {
    const thread = start();
    all.add(thread);
    // Prevents an uncaught error when an idle thread fails; `requestAnswer` reports it to a waiting caller.
    return thread.on('error', () => remove(thread)).once('exit', () => remove(thread));
  };

  /**
   * Reserves a thread for the requests of `work`, one at a time. A request rejects if it fails or the thread ends. When
   * `signal` aborts, terminates the thread and rejects with the signal's reason.
   */
  async function use<Result>(signal: AbortSignal, work: (request: ThreadRequest) => Promise<Result>): Promise<Result> {
    signal.throwIfAborted();
    const [thread = startThread()] = idle;
    idle.delete(thread);
    const terminate = () => {
      remove(thread);
      void thread.terminate();
    };
    signal.addEventListener('abort', terminate);
    try {
      return await work(async (message) => {
        signal.throwIfAborted();
        // Its exit has no listener between two requests.
        if (!all.has(thread)) throw new Error(`The thread of ${of} ended.`);
        return requestAnswer(thread, of, message);
      });
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      signal.removeEventListener('abort', terminate);
      if (all.has(thread)) idle.add(thread);
    }
  }

  return {
    use,
    /** {@link use} with one request. */
    request: <Answer>(message: unknown, signal: AbortSignal): Promise<Answer> =>
      use(signal, (request) => request<Answer>(message)),
    async close(): Promise<void> {
      await Promise.all([...all].map((thread) => thread.terminate()));
    },
  };
}
