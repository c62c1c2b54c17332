/**
 * How often a task is asked about. `specification`: as section 8 of the specification wants it of clients of a service
 * that others use too. `local`: for the same machine; the service holds its answer until there is news.
 */
export type Polling = 'specification' | 'local';

/** How a wait stands when the next question is due. */
export interface Standing {
  /** Since the task was accepted; since the wait began where nobody knows. */
  readonly ageSeconds: number;
  readonly estimateSeconds: number | undefined;
  /** Questions in a row that were not answered: 429, 5xx, no connection. */
  readonly failures: number;
  /** Whether there has been such a question at all. */
  readonly strained: boolean;
  readonly retryAfterSeconds: number | undefined;
}

/** All in seconds. */
export interface Pace {
  /** Before the first question. */
  first(standing: Standing): number;
  /** After a question that was answered with "not yet", or not answered. */
  next(standing: Standing): number;
  /** How long the service may hold its answer; `watched`: somebody wants to see progress, which ends no hold. */
  hold(watched: boolean): number;
}

const SHORTEST = 30;
const LONGEST = 60;
const LONGEST_UNDER_LOAD = 300;

/**
 * First no earlier than the estimate, then 30 seconds that grow to 60 with the task's age; every failure doubles the
 * pause, and after one it stays at its longest. A task of unknown age is one that was picked up again after a restart.
 */
const specification: Pace = {
  first: ({ estimateSeconds, ageSeconds }) =>
    estimateSeconds === undefined ? SHORTEST : Math.max(0, estimateSeconds - ageSeconds),
  next({ ageSeconds, estimateSeconds = 0, failures, strained, retryAfterSeconds = 0 }) {
    const grown = Math.min(LONGEST, SHORTEST + Math.max(0, ageSeconds - estimateSeconds) / 10);
    const own = strained ? Math.min(LONGEST_UNDER_LOAD, LONGEST * 2 ** Math.max(0, failures - 1)) : grown;
    return Math.max(own, retryAfterSeconds);
  },
  hold: () => 0,
};

const local: Pace = {
  first: () => 0,
  // `Retry-After` of a task in progress is for the other pace; that of a refusal counts.
  next: ({ failures, retryAfterSeconds = 0 }) =>
    failures === 0 ? 0.2 : Math.max(retryAfterSeconds, Math.min(10, 0.25 * 2 ** failures)),
  hold: (watched) => (watched ? 1 : 20),
};

/** Of tasks that end in 202 and 200 with an estimate before them. */
export const PACES: Readonly<Record<Polling, Pace>> = { specification, local };

/** Of documents: the service gives no estimate and holds no answer; it suggests 5 seconds. */
export const DOCUMENT_PACES: Readonly<Record<Polling, Pace>> = {
  specification: {
    first: () => 5,
    next: (standing) =>
      standing.strained ? specification.next(standing) : Math.min(LONGEST, 5 + standing.ageSeconds / 20),
    hold: () => 0,
  },
  local: {
    first: () => 0.2,
    next: (standing) => (standing.failures > 0 ? local.next(standing) : Math.min(2, 0.2 + standing.ageSeconds / 40)),
    hold: () => 0,
  },
};
