import type { FetchFailed } from '../base/fetch-failed.ts';
import type { DeliveryOutcome } from '../tasks/store.ts';

/** Seconds before each attempt, counted from the one before; its length is the number of attempts. */
export type Schedule = readonly number[];

type FailedAttempt = Extract<DeliveryOutcome, { readonly error: string }>;

const LONGEST_RETRY_AFTER_SECONDS = 3600;

/** What a failed attempt leads to: the next one by the schedule, or the end. */
export function afterFailure(
  failed: Pick<FetchFailed, 'reason' | 'status' | 'retryAfterSeconds'>,
  attempt: number,
  { schedule, random = Math.random }: { schedule: Schedule; random?: () => number },
): FailedAttempt {
  const told = { error: wordFor(failed), ...(failed.status !== undefined && { statusCode: failed.status }) };
  const scheduled = schedule[attempt];
  if (failed.status === 410 || failed.reason === 'blocked_address' || scheduled === undefined) {
    return { state: 'failed', ...told };
  }
  // A tenth more or less, so that deliveries which failed together do not all come back together.
  const jittered = scheduled * (0.9 + 0.2 * random());
  const delayMs = 1000 * Math.max(jittered, Math.min(failed.retryAfterSeconds ?? 0, LONGEST_RETRY_AFTER_SECONDS));
  return { state: 'pending', delayMs: Math.round(delayMs), ...told };
}

/**
 * What is recorded of an attempt at a receiver on this machine: whether it took the callback. All failures take the whole
 * schedule, so that a client cannot tell a closed port from an error page.
 */
export function withheld(
  outcome: DeliveryOutcome,
  attempt: number,
  options: { schedule: Schedule; random?: () => number },
): DeliveryOutcome {
  if (outcome.state === 'postponed') return outcome;
  if (outcome.state === 'delivered') return { state: 'delivered' };
  return { ...afterFailure({ reason: 'connect_error' }, attempt, options), error: 'undelivered' };
}

/** The short word that a reader of the task is told: never a host, never a byte of an answer. */
function wordFor({ reason, status }: Pick<FetchFailed, 'reason' | 'status'>): string {
  if (status === 410) return 'gone';
  switch (reason) {
    case 'timeout':
    case 'dns_error':
    case 'connect_error':
    case 'tls_error':
    case 'blocked_address':
    case 'redirect':
    case 'http_status':
      return reason;
    case 'too_large':
    case 'unreadable':
    case 'aborted':
      return 'connect_error';
  }
}
