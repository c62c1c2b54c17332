/**
 * Poll schedule. `specification`: the schedule for shared services (docs/specification.md#reading-results). `local`: long
 * polling on the same machine.
 */
export type Polling = 'specification' | 'local';

export interface PollState {
  readonly ageSeconds: number;
  readonly estimateSeconds: number | undefined;
  /** Consecutive failed polls: 429, 5xx, no connection. */
  readonly failures: number;
  /** Whether any poll has failed. */
  readonly hasFailed: boolean;
  readonly retryAfterSeconds: number | undefined;
}

export interface PollSchedule {
  firstDelay(standing: PollState): number;
  nextDelay(standing: PollState): number;
  /** Long polling time; short if `watched`, because progress does not end long polling. */
  longPollSeconds(watched: boolean): number;
}

const MIN_INTERVAL_SECONDS = 30;
const MAX_INTERVAL_SECONDS = 60;
const MAX_BACKOFF_SECONDS = 300;

/**
 * First poll at the estimate, then every 30 to 60 seconds depending on age. Failures double the interval, which then
 * stays at its maximum. A task of unknown age was resumed after a restart.
 */
const specification: PollSchedule = {
  firstDelay: ({ estimateSeconds, ageSeconds }) =>
    estimateSeconds === undefined ? MIN_INTERVAL_SECONDS : Math.max(0, estimateSeconds - ageSeconds),
  nextDelay({ ageSeconds, estimateSeconds = 0, failures, hasFailed, retryAfterSeconds = 0 }) {
    const byAge = Math.min(MAX_INTERVAL_SECONDS, MIN_INTERVAL_SECONDS + Math.max(0, ageSeconds - estimateSeconds) / 10);
    const interval = hasFailed
      ? Math.min(MAX_BACKOFF_SECONDS, MAX_INTERVAL_SECONDS * 2 ** Math.max(0, failures - 1))
      : byAge;
    return Math.max(interval, retryAfterSeconds);
  },
  longPollSeconds: () => 0,
};

const local: PollSchedule = {
  firstDelay: () => 0,
  nextDelay: ({ failures, retryAfterSeconds = 0 }) =>
    failures === 0 ? 0.2 : Math.max(retryAfterSeconds, Math.min(10, 0.25 * 2 ** failures)),
  longPollSeconds: (watched) => (watched ? 1 : 20),
};

export const POLL_SCHEDULES: Readonly<Record<Polling, PollSchedule>> = { specification, local };

const MAX_BATCH_INTERVAL_SECONDS = 15;
const batchInterval = (ageSeconds: number) => Math.min(MAX_BATCH_INTERVAL_SECONDS, 0.5 + ageSeconds);

/** For batches, whose counts are of interest before the end: the first poll at once, then at intervals that double. */
export const BATCH_POLL_SCHEDULES: Readonly<Record<Polling, PollSchedule>> = {
  specification: {
    firstDelay: () => 0,
    nextDelay: (state) => (state.hasFailed ? specification.nextDelay(state) : batchInterval(state.ageSeconds)),
    longPollSeconds: () => 0,
  },
  local: {
    firstDelay: () => 0,
    nextDelay: (state) => (state.failures > 0 ? local.nextDelay(state) : batchInterval(state.ageSeconds)),
    longPollSeconds: () => 0,
  },
};

/** For documents: no estimate, no long polling; the service suggests 5 seconds. */
export const DOCUMENT_POLL_SCHEDULES: Readonly<Record<Polling, PollSchedule>> = {
  specification: {
    firstDelay: () => 5,
    nextDelay: (state) =>
      state.hasFailed ? specification.nextDelay(state) : Math.min(MAX_INTERVAL_SECONDS, 5 + state.ageSeconds / 20),
    longPollSeconds: () => 0,
  },
  local: {
    firstDelay: () => 0.2,
    nextDelay: (state) => (state.failures > 0 ? local.nextDelay(state) : Math.min(2, 0.2 + state.ageSeconds / 40)),
    longPollSeconds: () => 0,
  },
};
