/** `max` waiting tasks; a further one is rejected with `whenFull()`. */
interface QueueLimit {
  readonly max: number;
  readonly whenFull: () => Error;
}

/** Runs at most `permits` tasks at once; the others wait in order of arrival, or until their `signal` aborts. */
export function createSemaphore(permits: number, queue?: QueueLimit) {
  const waiting: (() => void)[] = [];
  let free = permits;

  /** A released permit goes to the longest waiter, so that no newcomer can take it. */
  const acquire = (signal?: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const onPermit = () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      };
      const onAbort = () => {
        waiting.splice(waiting.indexOf(onPermit), 1);
        reject(signal!.reason as Error);
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      waiting.push(onPermit);
    });

  return async <T>(task: () => Promise<T>, signal?: AbortSignal): Promise<T> => {
    signal?.throwIfAborted();
    if (free > 0) free--;
    else if (queue && waiting.length >= queue.max) throw queue.whenFull();
    else await acquire(signal);
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free++;
    }
  };
}
