import type { Db } from '../base/db.ts';
import { RANK } from './accept.ts';
import { processingMs, taskColumns } from './rows.ts';
import type { SweepLimits, Swept } from './store.ts';
import { FAILURES } from './task.ts';

export interface SweepScope {
  /** Seconds since 1970: what was due by then was swept. `-Infinity`: unknown; null: as of now, whatever there was. */
  readonly since: number | null;
  readonly rows: number;
  /** Tasks to leave alone. */
  readonly without: readonly string[];
  /** This task and no other. */
  readonly only?: string;
}

export interface SweepRow extends Omit<Swept, 'skipped'> {
  /** Nothing that was due is left, except what others have locked. */
  readonly complete: boolean;
}

export async function runSweep(db: Db, limits: SweepLimits, scope: SweepScope): Promise<SweepRow> {
  const { rows } = await db.query<SweepRow>(SWEEP, [
    limits.maxAttempts,
    limits.batchMaxWaitSeconds,
    scope.rows,
    FAILURES.WORKER_LOST.code,
    FAILURES.WORKER_LOST.sentence,
    FAILURES.DEADLINE_EXCEEDED.code,
    FAILURES.DEADLINE_EXCEEDED.sentence,
    limits.services,
    limits.asked?.since ?? null,
    limits.asked ? limits.asked.leaseMs / 1000 : null,
    SEEN_SECONDS,
    LEFT_SECONDS,
    scope.since,
    scope.without,
    scope.only ?? null,
  ]);
  return rows[0]!;
}

/** The tasks that a sweep of so many rows would touch now. */
export async function findDue(db: Db, limits: SweepLimits): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(FIND_DUE, [limits.rows, limits.services, limits.batchMaxWaitSeconds]);
  return rows.map(({ id }) => id);
}

/** How long before an outage a worker must have been seen to count as alive in it: two and a half heartbeats. */
const SEEN_SECONDS = 5;
/** What is left of a lease at any time, at the least, where its worker renews it: else it was lost already. */
const LEFT_SECONDS = 2;
/** Before the last sweep: what was locked then, or became visible after it, is found within this time. */
const BEFORE_SECONDS = 10;

// Whose lease ran out because nobody could renew it: one that was given before the outage, so that it ran out within a
// lease's time of its beginning, and whose worker was seen at most SEEN before it. The grace is both times together. So
// when a lease that was spared is to be spared again, the other outage began at least SEEN after the first time, and the
// worker must have been seen since: one that is dead is spared once, by however many sweepers, restarted or not.
const SPARED = `
  t.leased_until between $9::timestamptz + make_interval(secs => $12) and $9 + make_interval(secs => $10)
  and exists (select from workers w where w.id = t.worker and w.seen_at >= $9 - make_interval(secs => $11))`;

const SINCE = `(coalesce(to_timestamp($13::float8), now()) - interval '${BEFORE_SECONDS} seconds')`;
const WANTED = '($15::text is null or id = $15) and id <> all ($14::text[])';

/** The body is made from the result once, so that a delivery with a body needs no result. */
const RESULT_WITHOUT_BODY = 'case when d.body is null then t.result::text end';

// A lost lease goes back to the place in the queue that it had (run_at stays), so a killed worker costs a task no more
// than the lease; the attempt stays counted, so a task that kills its workers ends too. `lost`, `overdue` and `waited` are
// never the same rows: sweep_at tells the first two apart, worker the first and the last.
//
// An expired task takes its settled delivery along (on delete cascade), with its secret and stored body. A delivery that is
// still due is separated first and keeps what it needs of the task, so that its schedule runs to the end; and a task whose
// delivery is not due yet, because the task never ended, fails now and is removed by the next sweep.
const SWEEP = {
  name: 'sweep',
  text: `
    with lost as materialized (
      select id, attempts < $1 as has_attempts, coalesce(${SPARED}, false) as is_spared
        from tasks t
       where worker is not null and leased_until < now() and leased_until >= ${SINCE}
         and (sweep_at is null or sweep_at >= now()) and ${WANTED}
       limit $3
         for update skip locked
    ),
    overdue as materialized (
      select id, is_over, is_over and (finished_at is not null or not has_delivery) as expired
        from tasks t
       cross join lateral (
              select coalesce(expires_at < now(), false) as is_over,
                     exists (select from deliveries d where d.task_id = t.id) as has_delivery) as its
       where sweep_at < now() and sweep_at >= ${SINCE} and ${WANTED}
       order by sweep_at
       limit $3
         for update of t skip locked
    ),
    returned as (
      update tasks t
         set worker = null, leased_until = null, returned = 'lost'
        from lost
       where t.id = lost.id and lost.has_attempts and not lost.is_spared
      returning t.id
    ),
    spared as (
      update tasks t
         set leased_until = now() + make_interval(secs => $10) + make_interval(secs => $11)
        from lost
       where t.id = lost.id and lost.is_spared
      returning t.id
    ),
    doomed as (
      select id, $4::text as code, $5::text as sentence from lost where not has_attempts and not is_spared
      union all
      select id, $6::text, $7::text from overdue where not expired
    ),
    failed as (
      update tasks t
         set status        = 'failed',
             finished_at   = now(),
             error_code    = doomed.code,
             error         = doomed.sentence,
             processing_ms = ${processingMs('t.started_at')},
             checkpoint    = null,
             worker        = null,
             leased_until  = null
        from doomed
       where t.id = doomed.id
      returning t.id, t.service
    ),
    due as (
      update deliveries d set due_at = now() from failed where d.task_id = failed.id
    ),
    separated as (
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
      select t.id
        from unnest($8::text[]) as s (service)
       cross join lateral (
              select id
                from tasks
               where service = s.service and worker is null and finished_at is null and priority = ${RANK.batch}
                 and run_at < now() - make_interval(secs => $2) and run_at >= ${SINCE} - make_interval(secs => $2)
                 and (sweep_at is null or sweep_at >= now()) and ${WANTED}
               order by run_at, id
               limit $3
                 for update skip locked) as t
    ),
    promoted as (
      update tasks t set priority = ${RANK.realtime}, run_at = now() from waited where t.id = waited.id returning t.id
    )
    select (select count(*) from returned)::int as returned,
           (select coalesce(json_object_agg(service, n), '{}')
              from (select service, count(*) as n from failed group by service) as f) as failed,
           (select count(*) from promoted)::int as promoted,
           (select count(*) from removed)::int as removed,
           (select count(*) from spared)::int as spared,
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
      where service = any ($2::text[]) and worker is null and finished_at is null and priority = ${RANK.batch}
        and run_at < now() - make_interval(secs => $3)
      limit $1)`,
};
