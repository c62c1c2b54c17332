import { sleep } from './loop.ts';

/**
 * Returns a function that runs `work` and resolves afterwards. Concurrent calls share one run, which starts after them, after
 * the previous run, and `minIntervalMs` after its start.
 */
export function createCoalescedRun(work: () => Promise<unknown>, minIntervalMs: number): () => Promise<void> {
  let startedAt = Number.NEGATIVE_INFINITY;
  let previous: Promise<unknown> = Promise.resolve();
  let next: Promise<void> | undefined;
  const run = async () => {
    await previous.catch(() => {});
    await sleep(Math.max(0, startedAt + minIntervalMs - performance.now()));
    next = undefined;
    startedAt = performance.now();
    previous = work();
    await previous;
  };
  return () => {
    next ??= run();
    return next;
  };
}
