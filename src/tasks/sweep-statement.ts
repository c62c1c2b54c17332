import type { Db } from '../base/db.ts';
import { COST_MICROS, latestFinish } from './fair-tags.ts';
import type { SweepLimits, SweepResult } from './store.ts';
import { FAILURES, PRIORITY_VALUE } from './task.ts';
import { afterEndSql, ENDED_COLUMNS, failSql, taskColumns, withAttemptLogged } from './task-rows.ts';

export interface SweepScope {
  /** Seconds since 1970: everything due by then was swept. `-Infinity`: unknown; null: start from now. */
  readonly since: number | null;
  readonly rows: number;
  /** Tasks to skip. */
  readonly excluded: readonly string[];
  /** Sweep only this task. */
  readonly only?: string;
}

export interface SweepRow extends Omit<SweepResult, 'skipped'> {
  /** Nothing due is left, except rows locked by others. */
  readonly complete: boolean;
}

export async function runSweep(db: Db, limits: SweepLimits, scope: SweepScope): Promise<SweepRow> {
  const { rows } = await db.query<SweepRow>(SWEEP, [
    limits.maxAttempts,
    limits.batchMaxWaitSeconds,
    scope.rows,
    FAILURES.WORKER_LOST.code,
    FAILURES.WORKER_LOST.message,
    FAILURES.DEADLINE_EXCEEDED.code,
    FAILURES.DEADLINE_EXCEEDED.message,
    limits.services,
    limits.outage?.since ?? null,
    limits.outage ? limits.outage.leaseMs / 1000 : null,
    SEEN_SECONDS,
    MIN_LEFT_SECONDS,
    scope.since,
    scope.excluded,
    scope.only ?? null,
  ]);
  return rows[0]!;
}

/** The tasks that a sweep with these limits would change. */
export async function findDueTasks(db: Db, limits: SweepLimits): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(FIND_DUE, [limits.rows, limits.services, limits.batchMaxWaitSeconds]);
  return rows.map(({ id }) => id);
}

/** A worker seen this long before an outage counts as alive: two and a half heartbeat intervals. */
const SEEN_SECONDS = 5;
/** A worker that renews its lease always has at least this much of it left. */
const MIN_LEFT_SECONDS = 2;
/** Scans overlap the last sweep by this much, for rows that were locked or not yet visible. */
const OVERLAP_SECONDS = 10;

// Leases that expired because of the outage: granted before it, so expired within one lease duration of its start, with a
// worker seen at most SEEN_SECONDS before it. The grace period is the sum of both times. A second extension therefore needs
// an outage that starts at least SEEN_SECONDS after the first one, and a worker seen since: a dead worker gets only one.
const IS_EXTENDED = `
  t.leased_until between $9::timestamptz + make_interval(secs => $12) and $9 + make_interval(secs => $10)
  and exists (select from workers w where w.id = t.worker and w.seen_at >= $9 - make_interval(secs => $11))`;

const SINCE = `(coalesce(to_timestamp($13::float8), now()) - interval '${OVERLAP_SECONDS} seconds')`;
const IN_SCOPE = '($15::text is null or id = $15) and id <> all ($14::text[])';

/** A delivery with a stored body does not need the result. */
const RESULT_WITHOUT_BODY = 'case when d.body is null then t.result::text end';

// A task with a lost lease keeps its place in the queue (run_at) and its attempt count, so a task that crashes its workers
// ends. `lost`, `overdue` and `waited` are disjoint: sweep_at separates the first two, worker the first and the last.
//
// Deleting an expired task also deletes its finished delivery (on delete cascade). A due or held delivery is detached first with a
// copy of the task, so that its retry schedule continues. A task that expired before it ended fails now, which makes its
// delivery due; the next sweep deletes it.
const SWEEP = {
  name: 'sweep',
  text: `
    with lost as materialized (
      select id, attempts < $1 as has_attempts, coalesce(${IS_EXTENDED}, false) as is_extended
        from tasks t
       where worker is not null and leased_until < now() and leased_until >= ${SINCE}
         and (sweep_at is null or sweep_at >= now()) and ${IN_SCOPE}
       limit $3
         for update skip locked
    ),
    overdue as materialized (
      select id, is_over, is_over and (finished_at is not null or not has_delivery) as expired
        from tasks t
       cross join lateral (
              select coalesce(expires_at < now(), false) as is_over,
                     exists (select from deliveries d where d.task_id = t.id) as has_delivery) as its
       where sweep_at < now() and sweep_at >= ${SINCE} and ${IN_SCOPE}
       order by sweep_at
       limit $3
         for update of t skip locked
    ),
    returned as (
      update tasks t
         set attempt_log = ${withAttemptLogged("'reason', 'WORKER_LOST'")},
             worker = null, leased_until = null, returned = 'lost', run_at = least(t.run_at, now())
        from lost
       where t.id = lost.id and lost.has_attempts and not lost.is_extended
      returning t.id
    ),
    extended as (
      update tasks t
         set leased_until = now() + make_interval(secs => $10) + make_interval(secs => $11)
        from lost
       where t.id = lost.id and lost.is_extended
      returning t.id
    ),
    exhausted as (
      select id, $4::text as code, $5::text as message from lost where not has_attempts and not is_extended
      union all
      select id, $6::text, $7::text from overdue where not expired
    ),
    failed as (
      update tasks t
         set ${failSql('exhausted.code', 'exhausted.message')}
        from exhausted
       where t.id = exhausted.id
      returning ${ENDED_COLUMNS}
    ),${afterEndSql('failed')},
    detached as (
      update deliveries d
         set task_id = null,
             expired_task = (select row_to_json(kept)
                               from (select ${taskColumns(RESULT_WITHOUT_BODY)}, t.request_id, t.traceparent) as kept)
        from overdue
        join tasks t using (id)
       where overdue.expired and d.task_id = t.id and d.due_at is not null
    ),
    removed as (
      delete from tasks t using overdue where t.id = overdue.id and overdue.expired returning t.id
    ),
    waited as materialized (
      select t.id, service, client, row_number() over (partition by service, client order by t.run_at, t.id) as place
        from unnest($8::text[]) as s (service)
       cross join lateral (
              select id, run_at, coalesce(owner, principal) as client
                from tasks
               where service = s.service and worker is null and finished_at is null and priority = ${PRIORITY_VALUE.batch}
                 and queued_at < now() - make_interval(secs => $2) and queued_at >= ${SINCE} - make_interval(secs => $2)
                 and (sweep_at is null or sweep_at >= now()) and ${IN_SCOPE}
               order by queued_at
               limit $3
                 for update skip locked) as t
    ),
    front as materialized (
      select service, ${latestFinish('service', PRIORITY_VALUE.realtime)} as latest,
             (select run_at
                from tasks t
               where t.service = s.service and worker is null and finished_at is null
                 and priority = ${PRIORITY_VALUE.realtime} and returned is null
               order by run_at
               limit 1) as run_at
        from (select distinct service from waited) as s
    ),
    promoted as (
      update tasks t
         set priority = ${PRIORITY_VALUE.realtime},
             run_at   = case when t.returned is null
                             then coalesce(greatest(coalesce(front.run_at, latest), queue.finish), now())
                                  + (place - 1) * ${COST_MICROS} * interval '1 microsecond'
                             else t.run_at
                        end
        from waited
        join front using (service)
        left join client_queues queue
          on queue.service = waited.service and queue.owner = client and queue.priority = ${PRIORITY_VALUE.realtime}
       where t.id = waited.id
      returning t.id, t.service, client, t.run_at, t.returned is null as is_tagged
    ),
    charged as (
      insert into client_queues as q (service, priority, owner, start, finish)
      select service, ${PRIORITY_VALUE.realtime}, client, max(run_at), max(run_at) + ${COST_MICROS} * interval '1 microsecond'
        from promoted
       where is_tagged
       group by service, client
       order by service, client collate "C"
          on conflict (service, priority, owner) do update set finish = greatest(q.finish, excluded.finish)
    )
    select (select count(*) from returned)::int as returned,
           (select coalesce(json_object_agg(service, n), '{}')
              from (select service, count(*) as n from failed group by service) as f) as failed,
           (select count(*) from promoted)::int as promoted,
           (select count(*) from removed)::int as removed,
           (select count(*) from extended)::int as extended,
           now() as at,
           (select count(*) from lost) < $3 and (select count(*) from overdue) < $3
             and (select count(*) from waited) < $3
             and not exists (select from overdue where is_over and not expired) as complete,
           (select extract(epoch from leased_until - now())::float8 * 1000
              from tasks
             where worker is not null and leased_until >= now()
             order by leased_until
             limit 1) as "nextLeaseMs"`,
};

const FIND_DUE = {
  name: 'find-due',
  text: `
    (select id from tasks where worker is not null and leased_until < now() limit $1)
    union
    (select id from tasks where sweep_at < now() order by sweep_at limit $1)
    union
    (select id
       from tasks
      where service = any ($2::text[]) and worker is null and finished_at is null and priority = ${PRIORITY_VALUE.batch}
        and queued_at < now() - make_interval(secs => $3)
      limit $1)`,
};
