import { setTimeout as delay } from 'node:timers/promises';

/** Waits `ms`, or less if `signal` aborts meanwhile; never throws, so a loop's condition decides what comes next. */
export async function rest(ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return;
  await delay(ms, undefined, signal ? { signal } : {}).catch(() => {});
}

/** A signal that aborts `ms` after `signal`. */
export function delayed(signal: AbortSignal, ms: number): AbortSignal {
  if (ms === 0) return signal;
  const over = new AbortController();
  const wait = () => void rest(ms).then(() => over.abort());
  if (signal.aborted) wait();
  else signal.addEventListener('abort', wait, { once: true });
  return over.signal;
}

/**
 * Runs `turn` again and again until `signal` aborts, resting `restMs` (asked after each turn, if a function) between turns.
 * A turn that throws is reported to `onError` and the loop goes on with doubling rests, to `maxRestMs`: what is away must not
 * be hammered, and must not be waited for much longer than it is away.
 */
export async function loop(
  turn: () => Promise<unknown>,
  options: {
    restMs: number | (() => number);
    maxRestMs?: number;
    signal: AbortSignal;
    onError: (error: unknown) => void;
  },
): Promise<void> {
  let failures = 0;
  while (!options.signal.aborted) {
    try {
      await turn();
      failures = 0;
    } catch (error) {
      failures++;
      options.onError(error);
    }
    const restMs = typeof options.restMs === 'number' ? options.restMs : options.restMs();
    const longest = Math.max(restMs, options.maxRestMs ?? 5000);
    await rest(Math.min(restMs * 2 ** Math.min(failures, 10), longest), options.signal);
  }
}

/** Something to wait at until somebody rings: a ring that comes before the wait is not lost, two before it are one. */
export interface Bell {
  ring(): void;
  /** Resolves at the next ring, or after `ms`. */
  wait(ms?: number): Promise<void>;
}

export function createBell(): Bell {
  let rung = false;
  let answer: (() => void) | undefined;
  return {
    ring() {
      rung = true;
      answer?.();
    },
    async wait(ms) {
      if (!rung) {
        await new Promise<void>((resolve) => {
          const timer = ms === undefined ? undefined : setTimeout(resolve, ms);
          answer = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      rung = false;
      answer = undefined;
    },
  };
}
