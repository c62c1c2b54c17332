import type { FetchFailed } from '../base/fetch-failed.ts';
import { webhookErrorOf } from '../tasks/send-webhook.ts';
import type { DeliveryOutcome } from '../tasks/store.ts';

/** Seconds before each attempt, from the previous one. The length is the number of attempts. */
export type RetrySchedule = readonly number[];

type FailedAttempt = Extract<DeliveryOutcome, { readonly error: string }>;

const MAX_RETRY_AFTER_SECONDS = 3600;

/** The outcome of a failed attempt: the next attempt by the schedule, or failure. */
export function afterFailure(
  failed: Pick<FetchFailed, 'reason' | 'status' | 'retryAfterSeconds'>,
  attempt: number,
  { schedule, random = Math.random }: { schedule: RetrySchedule; random?: () => number },
): FailedAttempt {
  const details = { error: webhookErrorOf(failed), ...(failed.status !== undefined && { statusCode: failed.status }) };
  const scheduled = schedule[attempt];
  if (failed.status === 410 || failed.reason === 'blocked_address' || scheduled === undefined) {
    return { state: 'failed', ...details };
  }
  // ±10 % jitter spreads deliveries that failed together.
  const jittered = scheduled * (0.9 + 0.2 * random());
  const delayMs = 1000 * Math.max(jittered, Math.min(failed.retryAfterSeconds ?? 0, MAX_RETRY_AFTER_SECONDS));
  return { state: 'pending', delayMs: Math.round(delayMs), ...details };
}

/**
 * Hides the details of an attempt at a receiver on this machine. All failures follow the whole schedule, so that a client
 * cannot distinguish a closed port from an error response.
 */
export function hideDetails(
  outcome: DeliveryOutcome,
  attempt: number,
  options: { schedule: RetrySchedule; random?: () => number },
): DeliveryOutcome {
  if (outcome.state === 'postponed') return outcome;
  if (outcome.state === 'delivered') return { state: 'delivered' };
  const { isLocal } = outcome;
  return {
    ...afterFailure({ reason: 'connect_error' }, attempt, options),
    error: 'undelivered',
    ...(isLocal && { isLocal }),
  };
}
