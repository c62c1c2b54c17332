import type { Worker } from 'node:worker_threads';
import { requestAnswer } from './thread-requests.ts';

export type ThreadPool = ReturnType<typeof openThreadPool>;

interface ThreadPoolOptions {
  readonly beforeTermination?: (thread: Worker) => Promise<void>;
  /** How long a request waits for the first thread before it uses another one. */
  readonly maxWaitMs?: number;
}

/**
 * `start` creates a thread that serves requests; `of` names its task in errors ("the cleaner"). A thread is terminated after
 * `beforeTermination`. Each thread compiles its code itself: with `maxWaitMs`, short requests share one.
 */
export function openThreadPool(
  start: () => Worker,
  of: string,
  { beforeTermination, maxWaitMs = 0 }: ThreadPoolOptions = {},
) {
  const all = new Set<Worker>();
  /** With the time when their request began. */
  const busy = new Map<Worker, number>();
  const waiting = new Set<() => void>();
  let isClosed = false;

  const remove = (thread: Worker) => {
    busy.delete(thread);
    all.delete(thread);
  };

  const startThread = () => {
    const thread = start();
    all.add(thread);
    // Prevents an uncaught error when an idle thread fails; `requestAnswer` reports it to a waiting caller.
    return thread.on('error', () => remove(thread)).once('exit', () => remove(thread));
  };

  /** Until the request of the first thread has taken `maxWaitMs`; 0 if it is idle. */
  const computeWaitMs = () => {
    const [first] = all;
    const since = first && busy.get(first);
    return since === undefined ? 0 : maxWaitMs - (performance.now() - since);
  };

  /** Resolves when a thread is idle, after `ms`, when `signal` aborts, or when the pool is closed. */
  const waitForIdleThread = (ms: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const settle = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', settle);
        waiting.delete(settle);
        resolve();
      };
      const timer = setTimeout(settle, ms);
      signal.addEventListener('abort', settle);
      waiting.add(settle);
    });

  const release = (thread: Worker) => {
    busy.delete(thread);
    const [next] = waiting;
    next?.();
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
      const ms = computeWaitMs();
      if (ms > 0) await waitForIdleThread(ms, signal);
      signal.throwIfAborted();
      if (isClosed) throw new Error(`The threads of ${of} are closed.`);
      const thread = [...all].find((each) => !busy.has(each)) ?? startThread();
      busy.set(thread, performance.now());
      const stop = () => void terminate(thread);
      signal.addEventListener('abort', stop);
      try {
        return await requestAnswer<Answer>(thread, of, message);
      } catch (error) {
        signal.throwIfAborted();
        throw error;
      } finally {
        signal.removeEventListener('abort', stop);
        release(thread);
      }
    },
    async close(): Promise<void> {
      isClosed = true;
      for (const settle of [...waiting]) settle();
      await Promise.all([...all].map(terminate));
    },
  };
}
