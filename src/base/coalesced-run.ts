import { sleep } from './loop.ts';

const MAX_SHARE = 0.1;
/** The longest wait after a long run: a run that hung in an outage delays no later one. */
const MAX_WAIT_MS = 1000;

/**
 * Returns a function that runs `work` and resolves afterwards. Concurrent calls share one run, which starts after them, after
 * the previous run, and `minIntervalMs` after its start; after a run of up to 100 ms so much later that runs take at most a tenth of the time.
 */
export function createCoalescedRun(work: () => Promise<unknown>, minIntervalMs: number): () => Promise<void> {
  let startedAt = Number.NEGATIVE_INFINITY;
  let durationMs = 0;
  let previous: Promise<unknown> = Promise.resolve();
  let next: Promise<void> | undefined;
  const run = async () => {
    await previous.catch(() => {});
    const intervalMs = Math.max(minIntervalMs, Math.min(MAX_WAIT_MS, durationMs / MAX_SHARE));
    await sleep(Math.max(0, startedAt + intervalMs - performance.now()));
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
