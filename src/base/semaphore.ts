/** Limits concurrency with a bounded first-in, first-out queue. */
export function createSemaphore({
  maxConcurrent,
  maxQueued,
  queueFull,
}: {
  maxConcurrent: number;
  maxQueued: number;
  queueFull: () => Error;
}) {
  const waiting: (() => void)[] = [];
  let inUse = 0;

  /** Passes the permit to the longest waiter, so that no newcomer can take it. */
  function release(): void {
    const next = waiting.shift();
    if (next === undefined) inUse--;
    else next();
  }

  return {
    /** Resolves to the release function. Rejects on abort, and with `queueFull` if the queue is full. */
    async acquire(signal: AbortSignal): Promise<() => void> {
      signal.throwIfAborted();
      if (inUse < maxConcurrent) {
        inUse++;
        return release;
      }
      if (waiting.length >= maxQueued) throw queueFull();
      await new Promise<void>((resolve, reject) => {
        const onAbort = () => {
          waiting.splice(waiting.indexOf(onPermit), 1);
          reject(signal.reason as Error);
        };
        const onPermit = () => {
          signal.removeEventListener('abort', onAbort);
          resolve();
        };
        signal.addEventListener('abort', onAbort, { once: true });
        waiting.push(onPermit);
      });
      return release;
    },
  };
}
