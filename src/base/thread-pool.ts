import type { Worker } from 'node:worker_threads';
import { requestAnswer } from './thread-requests.ts';

export type ThreadPool = ReturnType<typeof openThreadPool>;

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

  return {
    /**
     * Returns the thread's answer. Rejects if the request fails or the thread ends. When `signal` aborts, terminates the
     * thread and rejects with the signal's reason.
     */
    async request<Answer>(message: unknown, signal: AbortSignal): Promise<Answer> {
      signal.throwIfAborted();
      const [thread = startThread()] = idle;
      idle.delete(thread);
      const terminate = () => {
        remove(thread);
        void thread.terminate();
      };
      signal.addEventListener('abort', terminate);
      try {
        return await requestAnswer<Answer>(thread, of, message);
      } catch (error) {
        signal.throwIfAborted();
        throw error;
      } finally {
        signal.removeEventListener('abort', terminate);
        if (all.has(thread)) idle.add(thread);
      }
    },
    async close(): Promise<void> {
      await Promise.all([...all].map((thread) => thread.terminate()));
    },
  };
}
