import { sleep } from './loop.ts';

const MAX_SHARE = 0.1;

/**
 * Returns a function that runs `work` and resolves afterwards. Concurrent calls share one run, which starts after them, after
 * the previous run, and `minIntervalMs` after its start; later after a long run, so that runs take at most a tenth of the time.
 */
export function createCoalescedRun(work: () => Promise<unknown>, minIntervalMs: number): () => Promise<void> {
  let startedAt = Number.NEGATIVE_INFINITY;
  let durationMs = 0;
  let previous: Promise<unknown> = Promise.resolve();
  let next: Promise<void> | undefined;
  const run = async () => {
    await previous.catch(() => {});
    await sleep(Math.max(0, startedAt + Math.max(minIntervalMs, durationMs / MAX_SHARE) - performance.now()));
    next = undefined;
    startedAt = performance.now();
    previous = work().finally(() => {
      durationMs = performance.now() - startedAt;
    });
    await previous;
  };
  return () => {
    next ??= run();
    return next;
  };
}
