/**
 * Poll schedule. `specification`: section 8 of the specification, for shared services. `local`: long polling on the
 * same machine.
 */
export type Polling = 'specification' | 'local';

export interface Standing {
  readonly ageSeconds: number;
  readonly estimateSeconds: number | undefined;
  /** Consecutive failed polls: 429, 5xx, no connection. */
  readonly failures: number;
  /** Whether any poll has failed. */
  readonly strained: boolean;
  readonly retryAfterSeconds: number | undefined;
}

export interface Pace {
  first(standing: Standing): number;
  next(standing: Standing): number;
  /** Long polling time; short if `watched`, because progress does not end long polling. */
  hold(watched: boolean): number;
}

const MIN_INTERVAL_SECONDS = 30;
const MAX_INTERVAL_SECONDS = 60;
const MAX_BACKOFF_SECONDS = 300;

/**
 * First poll at the estimate, then every 30 to 60 seconds depending on age. Failures double the interval, which then
 * stays at its maximum. A task of unknown age was resumed after a restart.
 */
const specification: Pace = {
  first: ({ estimateSeconds, ageSeconds }) =>
    estimateSeconds === undefined ? MIN_INTERVAL_SECONDS : Math.max(0, estimateSeconds - ageSeconds),
  next({ ageSeconds, estimateSeconds = 0, failures, strained, retryAfterSeconds = 0 }) {
    const byAge = Math.min(MAX_INTERVAL_SECONDS, MIN_INTERVAL_SECONDS + Math.max(0, ageSeconds - estimateSeconds) / 10);
    const interval = strained
      ? Math.min(MAX_BACKOFF_SECONDS, MAX_INTERVAL_SECONDS * 2 ** Math.max(0, failures - 1))
      : byAge;
    return Math.max(interval, retryAfterSeconds);
  },
  hold: () => 0,
};

const local: Pace = {
  first: () => 0,
  next: ({ failures, retryAfterSeconds = 0 }) =>
    failures === 0 ? 0.2 : Math.max(retryAfterSeconds, Math.min(10, 0.25 * 2 ** failures)),
  hold: (watched) => (watched ? 1 : 20),
};

export const PACES: Readonly<Record<Polling, Pace>> = { specification, local };

/** For documents: no estimate, no long polling; the service suggests 5 seconds. */
export const DOCUMENT_PACES: Readonly<Record<Polling, Pace>> = {
  specification: {
    first: () => 5,
    next: (state) =>
      state.strained ? specification.next(state) : Math.min(MAX_INTERVAL_SECONDS, 5 + state.ageSeconds / 20),
    hold: () => 0,
  },
  local: {
    first: () => 0.2,
    next: (state) => (state.failures > 0 ? local.next(state) : Math.min(2, 0.2 + state.ageSeconds / 40)),
    hold: () => 0,
  },
};
