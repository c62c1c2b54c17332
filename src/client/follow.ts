import type { Clock } from './clock.ts';
import { AssayError, NetworkProblem, Timeout } from './errors.ts';
import type { Pace, Standing } from './pace.ts';
import type { CallOptions } from './request.ts';

export interface WaitOptions<State> extends CallOptions {
  /** Throws a `Timeout` after so many seconds; absent: waits as long as the task lasts. */
  readonly timeoutSeconds?: number | undefined;
  /** Told of every state that was read. */
  readonly onState?: ((state: State) => void) | undefined;
}

/** One look at a task. */
export interface Reading<State> {
  readonly state: State;
  readonly ended: boolean;
  readonly retryAfterSeconds: number | undefined;
}

/** So many questions in a row may stay without an answer. */
const PATIENCE = 10;

/**
 * Looks at a task, at this pace, until it has ended. Refusals for load and lost connections are waited out; any other
 * refusal, 404 among them, is thrown.
 */
export async function follow<State>(needs: {
  readonly taskId: string;
  readonly read: (holdSeconds: number) => Promise<Reading<State>>;
  readonly pace: Pace;
  readonly clock: Clock;
  readonly acceptedAtMs: number | undefined;
  readonly estimateSeconds: number | undefined;
  readonly options: WaitOptions<State>;
}): Promise<State> {
  const { taskId, read, pace, clock, estimateSeconds } = needs;
  const { signal, timeoutSeconds = Number.POSITIVE_INFINITY, onState } = needs.options;
  const began = clock.now();
  const leftSeconds = () => timeoutSeconds - (clock.now() - began) / 1000;
  // Never below zero: a handle may come from a machine whose clock is ahead, and no wait is to last until then.
  const ageSeconds = () => Math.max(0, clock.now() - (needs.acceptedAtMs ?? began)) / 1000;

  async function pause(seconds: number): Promise<void> {
    if (seconds <= 0) return;
    const left = leftSeconds();
    await clock.sleep(Math.max(0, Math.min(seconds, left)) * 1000, signal);
    if (seconds >= left) {
      const message = `The task ${taskId} has not ended within ${timeoutSeconds} seconds; it goes on.`;
      throw new Timeout({ code: 'TIMEOUT', message });
    }
  }

  let failures = 0;
  let strained = false;
  const standing = (retryAfterSeconds?: number): Standing => ({
    ageSeconds: ageSeconds(),
    ...{ estimateSeconds, failures, strained, retryAfterSeconds },
  });

  await pause(pace.first(standing()));
  for (;;) {
    let retryAfterSeconds: number | undefined;
    try {
      const reading = await read(Math.min(pace.hold(onState !== undefined), leftSeconds()));
      failures = 0;
      onState?.(reading.state);
      if (reading.ended) return reading.state;
      ({ retryAfterSeconds } = reading);
    } catch (error) {
      if (!(error instanceof AssayError) || !isLoad(error) || ++failures > PATIENCE) throw error;
      strained = true;
      ({ retryAfterSeconds } = error);
    }
    await pause(pace.next(standing(retryAfterSeconds)));
  }
}

const isLoad = (error: AssayError) =>
  error instanceof NetworkProblem || error instanceof Timeout || error.status === 429 || error.status >= 500;
