import type { Clock } from './clock.ts';
import { type OutageListener, OutageReport, type RateLimitListener } from './connection.ts';
import { AssayError, RateLimited, Timeout } from './errors.ts';
import type { PollSchedule, PollState } from './poll-schedule.ts';
import type { CallOptions } from './request.ts';
import { isTransient } from './response-error.ts';
import { withAbort, withTimeLimit } from './time-limit.ts';

export interface WaitOptions<State> extends CallOptions {
  /** Throws `Timeout` after this time. Default: no limit. */
  readonly timeoutSeconds?: number | undefined;
  readonly onState?: ((state: State) => void) | undefined;
  /**
   * For overload and connection errors, of which polls are repeated; not for the rate limit with `onRateLimit`. Default: that of the
   * client.
   */
  readonly onOutage?: OutageListener | undefined;
  /** Resolves when another source, such as an event, reports the end: the result is then read at once. Polling continues without it. */
  readonly ended?: Promise<unknown> | undefined;
}

export interface PollResult<State> {
  readonly state: State;
  readonly ended: boolean;
  readonly retryAfterSeconds: number | undefined;
}

const MAX_FAILED_POLLS = 10;
/** Chosen: for the response to the last poll. It also ends a poll that waits for a token. */
const LAST_POLL_SECONDS = 5;

// The only polling loop of the client. The pages have their own (src/ui/browser/poll-task.ts), because the client is published
// alone; so have the conformance checks (src/conform/poll.ts), which share no code with what they check.

/**
 * Polls a task or batch until it has ended. Overload and connection errors are retried; other errors, including 404, are
 * thrown.
 */
export async function pollUntilEnded<State>(deps: {
  /** For the message of `Timeout`, such as `Task 01K…`. */
  readonly subject: string;
  readonly read: (holdSeconds: number, signal: AbortSignal) => Promise<PollResult<State>>;
  readonly pace: PollSchedule;
  readonly clock: Clock;
  readonly onRateLimit?: RateLimitListener | undefined;
  readonly onOutage?: OutageListener | undefined;
  readonly acceptedAtMs?: number | undefined;
  readonly estimateSeconds?: number | undefined;
  readonly options: WaitOptions<State>;
}): Promise<State> {
  const { subject, read, pace, clock, estimateSeconds, onRateLimit } = deps;
  const { signal, timeoutSeconds = Number.POSITIVE_INFINITY, onState, onOutage = deps.onOutage } = deps.options;
  let { ended } = deps.options;
  const startedAtMs = clock.now();
  const leftSeconds = () => timeoutSeconds - (clock.now() - startedAtMs) / 1000;
  // Never negative: the handle may come from a machine whose clock is ahead.
  const ageSeconds = () => Math.max(0, clock.now() - (deps.acceptedAtMs ?? startedAtMs)) / 1000;

  const timeout = () =>
    new Timeout({
      code: 'TIMEOUT',
      message: `${subject} did not finish within ${timeoutSeconds} seconds; it continues.`,
    });

  async function pause(seconds: number): Promise<void> {
    if (seconds <= 0) return;
    const left = leftSeconds();
    const ms = Math.max(0, Math.min(seconds, left)) * 1000;
    if (await sleepUntil(ended, (own) => clock.sleep(ms, own), signal)) {
      ended = undefined;
      return;
    }
    if (seconds >= left) throw timeout();
  }

  let [failures, limited] = [0, 0];
  let strained = false;
  const outage = new OutageReport(onOutage);
  const pollState = (retryAfterSeconds?: number): PollState => ({
    ageSeconds: ageSeconds(),
    ...{ estimateSeconds, failures: failures + limited, hasFailed: strained, retryAfterSeconds },
  });

  await pause(pace.firstDelay(pollState()));
  for (;;) {
    let retryAfterSeconds: number | undefined;
    let isLimited = false;
    try {
      const left = Math.max(0, leftSeconds());
      const reading = await withTimeLimit((left + LAST_POLL_SECONDS) * 1000, signal, (own) =>
        read(Math.min(pace.longPollSeconds(onState !== undefined), left), own),
      );
      [failures, limited] = [0, 0];
      outage.end();
      onState?.(reading.state);
      if (reading.ended) return reading.state;
      ({ retryAfterSeconds } = reading);
    } catch (error) {
      if (!signal?.aborted && error instanceof DOMException && error.name === 'TimeoutError') throw timeout();
      isLimited = onRateLimit !== undefined && error instanceof RateLimited;
      // Such as 404: the service responds again.
      if (error instanceof AssayError && !isTransient(error)) outage.end();
      if (!isTransient(error)) throw error;
      if (!isLimited && ++failures > MAX_FAILED_POLLS) {
        outage.end(error);
        throw error;
      }
      if (isLimited) limited++;
      strained = true;
      if (!isLimited) outage.begin(error);
      ({ retryAfterSeconds } = error);
    }
    const seconds = pace.nextDelay(pollState(retryAfterSeconds));
    if (isLimited) onRateLimit?.(Math.min(seconds, leftSeconds()));
    await pause(seconds);
  }
}

/** Sleeps; ends earlier with `ended`, and then returns true. */
const sleepUntil = (
  ended: Promise<unknown> | undefined,
  sleep: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal | undefined,
): Promise<boolean> =>
  withAbort(signal, async (own) => {
    const slept = sleep(own.signal).then(() => false);
    if (ended === undefined) return slept;
    const result = await Promise.race([
      slept,
      ended.then(
        () => true,
        () => slept,
      ),
    ]);
    own.abort();
    return result;
  });
