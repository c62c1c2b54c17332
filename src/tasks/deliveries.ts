import type { Db } from '../base/db.ts';
import { endpointOutcomeSql, IS_REDELIVERY, isPausedSql } from './endpoints.ts';
import {
  type DeliveryOutcome,
  type DueClaimRequest,
  type DueDelivery,
  type DuePage,
  type DuePosition,
  type DueQueue,
  MAX_COUNTED,
} from './store.ts';
import { appendedLog, TASK_COLUMNS, type TaskRow, toTask } from './task-rows.ts';

export async function findDueDeliveries(db: Db, limit: number, after: DuePosition = BEGINNING): Promise<DuePage> {
  const { rows } = await db.query<PageRow>(FIND, [after.dueAt, after.id, limit]);
  const { queues, found, last_due_at, last_id, resume_at } = rows[0]!;
  const isLast = found < limit;
  return { queues, isLast, next: isLast ? { dueAt: resume_at, id: '' } : { dueAt: last_due_at!, id: last_id! } };
}

export async function claimDueDeliveries(
  db: Db,
  queues: readonly DueClaimRequest[],
  leaseMs: number,
): Promise<DueDelivery[]> {
  const { rows } = await db.query<DueRow>(CLAIM, [
    queues.map(({ principal }) => principal),
    queues.map(({ origin }) => origin),
    queues.map(({ since }) => since),
    queues.map(({ limit }) => limit),
    leaseMs,
  ]);
  return rows.map(toDue);
}

/** The first stored body wins, so that concurrent deliverers send the same bytes. */
export async function saveBodyOnce(db: Db, deliveryId: string, body: string): Promise<string> {
  const { rows } = await db.query<{ body: string }>(
    'update deliveries set body = coalesce(body, $2) where id = $1 returning body',
    [deliveryId, body],
  );
  return rows[0]?.body ?? body;
}

export async function recordDelivery(
  db: Db,
  deliveryId: string,
  attempt: number,
  outcome: DeliveryOutcome,
): Promise<boolean> {
  const { rowCount } = await db.query(RECORD_OUTCOME, [
    deliveryId,
    attempt,
    outcome.state,
    outcome.state === 'pending' || outcome.state === 'postponed' ? outcome.delayMs : null,
    outcome.state === 'postponed' ? null : (outcome.statusCode ?? null),
    outcome.state === 'pending' || outcome.state === 'failed' ? outcome.error : null,
    outcome.state === 'postponed' ? null : (outcome.durationMs ?? null),
    'isLocal' in outcome && outcome.isLocal,
  ]);
  return rowCount > 0;
}

export async function pendingDeliveries(db: Db): Promise<number> {
  const { rows } = await db.query<{ n: number }>(PENDING, [MAX_COUNTED]);
  return rows[0]!.n;
}

const BEGINNING: DuePosition = { dueAt: 0, id: '' };
/** A delivery is due from the start of its task's last transaction but visible only after the commit. */
const COMMIT_SECONDS = 2;

// Whole microseconds, which JavaScript represents exactly.
const micros = (time: string) => `(extract(epoch from ${time}) * 1000000)::bigint`;
const timeOf = (parameter: string) => `(timestamptz 'epoch' + ${parameter} * interval '1 microsecond')`;

const FIND = {
  name: 'find-due-deliveries',
  text: `
    with page as materialized (
      select principal, origin, due_at, id, leased_until
        from deliveries
       where due_at is not null and due_at <= now() and (due_at, id) > (${timeOf('$1::float8')}, $2)
       order by due_at, id
       limit $3
    ),
    queue as (
      select principal, origin, ${micros('min(due_at)')} as since
        from page
       where leased_until is null or leased_until <= now()
       group by principal, origin
       order by 3
    )
    select (select coalesce(json_agg(queue), '[]') from queue) as queues,
           (select count(*) from page)::int as found,
           (select ${micros('due_at')} from page order by due_at desc, id desc limit 1) as last_due_at,
           (select id from page order by due_at desc, id desc limit 1) as last_id,
           ${micros('now()')} - ${COMMIT_SECONDS * 1_000_000} as resume_at`,
};

// `due_at` moves to the end of the lease, so that index entries below a queue's `since` are not read again, even while an
// old snapshot keeps vacuum from removing them.
const CLAIM = {
  name: 'take-due-deliveries',
  text: `
    with due as materialized (
      select found.id, found.due_at
        from unnest($1::text[], $2::text[], $3::float8[], $4::int[]) as wanted (principal, origin, since, most)
       cross join lateral (
             select id, due_at
               from deliveries d
              where d.principal = wanted.principal and d.origin = wanted.origin
                and d.due_at >= ${timeOf('wanted.since')} and d.due_at <= now()
                and (d.leased_until is null or d.leased_until <= now())
                and (${IS_REDELIVERY} or not ${isPausedSql('wanted')})
              order by d.due_at
              limit wanted.most
                for update skip locked
             ) as found
    ),
    taken as (
      update deliveries d
         set attempts        = d.attempts + 1,
             last_attempt_at = now(),
             leased_until    = now() + $5::float8 * interval '1 millisecond',
             due_at          = now() + $5::float8 * interval '1 millisecond'
        from due
       where d.id = due.id
      returning d.*, ${micros('due.due_at')} as was_due_at
    )
    select ${TASK_COLUMNS}, t.request_id, t.traceparent, d.expired_task, d.id as delivery_id, d.attempts, d.earlier_attempts,
           d.principal as client, d.url, d.origin, d.secret, d.body, d.was_due_at
      from taken d
      left join tasks t on t.id = d.task_id`,
};

const APPENDED_LOG = appendedLog(
  'd.attempt_log',
  `'attempt', d.attempts, 'at', extract(epoch from d.last_attempt_at), 'ms', $7::int, 'status', $5::smallint, 'error', $6::text`,
);

const RECORD_OUTCOME = {
  name: 'settle-delivery',
  text: `
    with current as materialized (
      select id, principal, origin, task_id, expired_task, task_id is null and $3 in ('delivered', 'failed') as is_over
        from deliveries
       where id = $1 and attempts = $2 and leased_until is not null
         for update
    ),
    deleted as (
      delete from deliveries d using current where d.id = current.id and current.is_over returning d.id
    ),
    recorded as (
      update deliveries d
         set state                = case when $3 in ('delivered', 'failed') then $3 else 'pending' end,
             attempts             = case $3 when 'postponed' then d.attempts - 1 else d.attempts end,
             last_attempt_at      = case $3 when 'postponed' then null else d.last_attempt_at end,
             due_at               = now() + $4::float8 * interval '1 millisecond',
             leased_until         = null,
             delivered_at         = case when $3 = 'delivered'
                                         then case when $5::smallint is null then d.last_attempt_at else now() end end,
             response_status_code = $5,
             last_error           = $6,
             attempt_log          = case $3 when 'postponed' then d.attempt_log else ${APPENDED_LOG} end
        from current
       where d.id = current.id and not current.is_over
      returning d.id
    ),${endpointOutcomeSql}
    select id from deleted union all select id from recorded`,
};

const PENDING = {
  name: 'pending-deliveries',
  text: `
    select count(*)::int as n
      from (select from deliveries where due_at < 'infinity' order by due_at limit $1) as counted`,
};

interface PageRow {
  queues: DueQueue[];
  found: number;
  last_due_at: number | null;
  last_id: string | null;
  resume_at: number;
}

/** The columns of `TaskRow` are null if the task has expired. */
interface DeliveredTaskRow extends TaskRow {
  request_id: string | null;
  traceparent: string | null;
}

interface DueRow extends DeliveredTaskRow {
  expired_task: DeliveredTaskRow | null;
  delivery_id: string;
  attempts: number;
  earlier_attempts: number | null;
  client: string;
  url: string;
  origin: string;
  secret: Buffer | null;
  body: string | null;
  was_due_at: number;
}

function toDue(row: DueRow): DueDelivery {
  const task = row.expired_task ?? row;
  return {
    id: row.delivery_id,
    principal: row.client,
    url: row.url,
    origin: row.origin,
    dueAt: row.was_due_at,
    attempt: row.attempts,
    scheduledAttempt: row.attempts - (row.earlier_attempts ?? 0),
    task: toTask(task),
    ...(row.secret !== null && { secret: row.secret }),
    ...(row.body !== null && { body: row.body }),
    ...(task.request_id !== null && { requestId: task.request_id }),
    ...(task.traceparent !== null && { traceparent: task.traceparent }),
  };
}
