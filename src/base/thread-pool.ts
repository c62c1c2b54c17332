import type { Worker } from 'node:worker_threads';
import { requestAnswer } from './thread-requests.ts';

export type ThreadPool = ReturnType<typeof openThreadPool>;

/**
 * `start` creates a thread that serves requests; `of` names its task in errors ("the cleaner"). A thread is terminated after
 * `beforeTermination`.
 */
export function openThreadPool(
  start: () => Worker,
  of: string,
  { beforeTermination }: { beforeTermination?: (thread: Worker) => Promise<void> } = {},
) {
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

  const terminate = async (thread: Worker) => {
    remove(thread);
    await beforeTermination?.(thread);
    await thread.terminate();
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
      const stop = () => void terminate(thread);
      signal.addEventListener('abort', stop);
      try {
        return await requestAnswer<Answer>(thread, of, message);
      } catch (error) {
        signal.throwIfAborted();
        throw error;
      } finally {
        signal.removeEventListener('abort', stop);
        if (all.has(thread)) idle.add(thread);
      }
    },
    async close(): Promise<void> {
      await Promise.all([...all].map(terminate));
    },
  };
}
