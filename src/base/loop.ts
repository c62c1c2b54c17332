import { setTimeout as delay } from 'node:timers/promises';

/** Waits `ms`, or until `signal` aborts. Never throws. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return;
  await delay(ms, undefined, signal ? { signal } : {}).catch(() => {});
}

/** Resolves when `signal` aborts. */
export async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}

/** Whether `promise` resolves within `ms`; rejects if it rejects. */
export async function resolvesWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  const settled = new AbortController();
  const timeout = sleep(ms, settled.signal).then(() => false);
  return Promise.race([promise.then(() => true), timeout]).finally(() => settled.abort());
}

/** A signal that aborts `ms` after `signal`. */
export function delayed(signal: AbortSignal, ms: number): AbortSignal {
  if (ms === 0) return signal;
  const controller = new AbortController();
  const wait = () => void sleep(ms).then(() => controller.abort());
  if (signal.aborted) wait();
  else signal.addEventListener('abort', wait, { once: true });
  return controller.signal;
}

/**
 * Runs `iteration` until `signal` aborts, with pauses of `intervalMs` (evaluated after each iteration). Errors go to
 * `onError` and double the pause, up to `maxIntervalMs`.
 */
export async function loop(
  iteration: () => Promise<unknown>,
  options: {
    intervalMs: number | (() => number);
    maxIntervalMs?: number;
    signal: AbortSignal;
    onError: (error: unknown) => void;
  },
): Promise<void> {
  let failures = 0;
  while (!options.signal.aborted) {
    try {
      await iteration();
      failures = 0;
    } catch (error) {
      failures++;
      options.onError(error);
    }
    const intervalMs = typeof options.intervalMs === 'number' ? options.intervalMs : options.intervalMs();
    const maxMs = Math.max(intervalMs, options.maxIntervalMs ?? 5000);
    await sleep(Math.min(intervalMs * 2 ** Math.min(failures, 10), maxMs), options.signal);
  }
}

export type Signal = ReturnType<typeof createSignal>;

/** An auto-reset event: `notify` before `wait` is kept, repeated calls count once. */
export function createSignal() {
  let notified = false;
  let wake: (() => void) | undefined;
  return {
    notify(): void {
      notified = true;
      wake?.();
    },
    /** Resolves on the next `notify`, or after `ms`. */
    async wait(ms?: number): Promise<void> {
      if (!notified) {
        await new Promise<void>((resolve) => {
          const timer = ms === undefined ? undefined : setTimeout(resolve, ms);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      notified = false;
      wake = undefined;
    },
  };
}
