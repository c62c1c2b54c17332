import { CLIENT_LIMIT_MS, type Db } from '../base/db.ts';
import type { LoggedAttempt as DeliveryAttempt } from './delivery-log.ts';
import type { Task } from './task.ts';
import { IS_READABLE, MAX_LOGGED } from './task-rows.ts';

/** The states of a task since it was accepted, oldest first. */
export interface Timeline {
  readonly principal: string;
  readonly status: Task['status'];
  readonly entries: readonly TimelineEntry[];
}

export const TIMELINE_TYPES = ['accepted', 'queued', 'claimed', 'step', 'retry', 'ended', 'delivery'] as const;

/** Fields without a meaning for the type are absent. */
export interface TimelineEntry {
  readonly type: (typeof TIMELINE_TYPES)[number];
  /** Seconds since 1970. */
  readonly at: number;
  readonly attempt?: number | undefined;
  readonly worker?: string | undefined;
  readonly step?: string | undefined;
  readonly durationMs?: number | undefined;
  readonly count?: number | undefined;
  /** Of a retry: why, and the time until the next attempt may start. */
  readonly reason?: string | undefined;
  readonly delayMs?: number | undefined;
  readonly status?: 'done' | 'failed' | undefined;
  /** Of a failed task or delivery attempt. */
  readonly error?: string | undefined;
  readonly responseStatusCode?: number | undefined;
}

/** From the logs of attempts (`withAttemptLogged`) and of deliveries, and the columns of the attempt that ended the task. */
export async function readTimeline(db: Db, service: string, id: string): Promise<Timeline | undefined> {
  const { rows } = await db.query<TimelineRow>(READ, [service, id]);
  const row = rows[0];
  return row && { principal: row.principal, status: row.status, entries: entriesOf(row) };
}

/** Time that an attempt spent in a step, from the start of the attempt. */
export interface StepTime {
  readonly name: string;
  readonly fromMs: number;
  readonly ms: number;
  /** Absent for 1. */
  readonly count?: number;
}

/** A row of `tasks` with the log of its delivery; times in seconds since 1970. */
interface TimelineRow {
  principal: string;
  status: Task['status'];
  queued_at: number;
  worker: string | null;
  attempts: number;
  claimed_at: number | null;
  finished_at: number | null;
  error_code: string | null;
  ended_by: string | null;
  steps: StepTime[] | null;
  attempt_log: (LoggedAttempt | LoggedRequeue)[] | null;
  deliveries: DeliveryAttempt[] | null;
}

/** An ended attempt. `reason` if it was repeated, `error` if it failed. */
interface LoggedAttempt {
  readonly attempt: number;
  readonly worker: string;
  readonly from?: number;
  readonly to: number;
  readonly steps?: readonly StepTime[];
  readonly error?: string;
  readonly reason?: string;
  readonly delay?: number;
}

/** A failed task that was queued again. */
interface LoggedRequeue {
  readonly queued: number;
  readonly ended: number;
  readonly to: number;
  readonly error: string;
}

const isRequeue = (entry: LoggedAttempt | LoggedRequeue): entry is LoggedRequeue => 'queued' in entry;

function entriesOf(row: TimelineRow): TimelineEntry[] {
  const log = [...(row.attempt_log ?? []), ...lastAttempt(row)].slice(-MAX_LOGGED);
  const acceptedAt = log.find(isRequeue)?.queued ?? row.queued_at;
  const { worker, attempts: attempt, claimed_at: claimedAt, finished_at: finishedAt, error_code: error } = row;
  const entries: TimelineEntry[] = [
    { type: 'accepted', at: acceptedAt },
    { type: 'queued', at: acceptedAt },
    ...log.flatMap((entry) => (isRequeue(entry) ? requeueEntries(entry) : attemptEntries(entry))),
    ...(worker !== null && claimedAt !== null ? [{ type: 'claimed' as const, at: claimedAt, attempt, worker }] : []),
    ...(finishedAt === null ? [] : [endOf(finishedAt, error)]),
    ...(row.deliveries ?? []).map(deliveryEntry),
  ];
  // Stable: entries of the same time keep their order.
  return entries.sort((a, b) => a.at - b.at);
}

const lastAttempt = ({ ended_by: worker, attempts, claimed_at, finished_at, steps }: TimelineRow): LoggedAttempt[] =>
  worker === null || finished_at === null
    ? []
    : [{ attempt: attempts, worker, from: claimed_at ?? finished_at, to: finished_at, steps: steps ?? [] }];

const endOf = (at: number, error: string | null): TimelineEntry =>
  error === null ? { type: 'ended', at, status: 'done' } : { type: 'ended', at, status: 'failed', error };

const requeueEntries = ({ ended, to, error }: LoggedRequeue): TimelineEntry[] => [
  endOf(ended, error),
  { type: 'queued', at: to },
];

function attemptEntries({ attempt, worker, from, to, steps = [], reason, delay }: LoggedAttempt): TimelineEntry[] {
  const startedAt = from ?? to;
  return [
    { type: 'claimed', at: startedAt, attempt, worker },
    // The worker's clock measured the steps: none may follow the end.
    ...steps.map(({ name, fromMs, ms, count }): TimelineEntry => {
      const at = Math.min(startedAt + fromMs / 1000, to);
      return { type: 'step', at, attempt, step: name, durationMs: ms, count };
    }),
    ...(reason === undefined ? [] : [{ type: 'retry' as const, at: to, attempt, reason, delayMs: delay }]),
  ];
}

const deliveryEntry = ({ attempt, at, ms, status, error }: DeliveryAttempt): TimelineEntry => ({
  ...{ type: 'delivery', at, attempt, durationMs: ms, responseStatusCode: status, error },
});

const seconds = (column: string) => `extract(epoch from ${column})::float8 as ${column.slice(2)}`;

const READ = {
  name: 'read-timeline',
  limitMs: CLIENT_LIMIT_MS,
  text: `
    select t.principal, t.status, t.worker, t.attempts, t.error_code, t.ended_by, t.steps, t.attempt_log,
           d.attempt_log as deliveries,
           ${['t.queued_at', 't.claimed_at', 't.finished_at'].map(seconds).join(', ')}
      from tasks t
      left join deliveries d on d.task_id = t.id
     where t.service = $1 and t.id = $2 and ${IS_READABLE}`,
};
