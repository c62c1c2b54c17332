import type { Db } from '../base/db.ts';
import { RANK } from './accept.ts';
import type { SweepLimits, Swept } from './store.ts';
import { FAILURES } from './task.ts';

/** One round of housekeeping. Sweeps of several processes do not wait for each other: each takes what no one has locked. */
export async function sweep(db: Db, limits: SweepLimits): Promise<Swept> {
  const { rows } = await db.query<Swept>(SWEEP, [
    limits.maxAttempts,
    limits.batchMaxWaitSeconds,
    limits.rows,
    FAILURES.WORKER_LOST.code,
    FAILURES.WORKER_LOST.sentence,
    FAILURES.DEADLINE_EXCEEDED.code,
    FAILURES.DEADLINE_EXCEEDED.sentence,
    limits.services,
    RANK.batch,
    RANK.realtime,
    limits.asked?.since ?? null,
    limits.asked ? limits.asked.leaseMs / 1000 : null,
    SEEN_SECONDS,
    LEFT_SECONDS,
  ]);
  return rows[0]!;
}

/** How long before an outage a worker must have been seen to count as alive in it: two and a half heartbeats. */
const SEEN_SECONDS = 5;
/** What is left of a lease at any time, at the least, where its worker renews it: else it was lost already. */
const LEFT_SECONDS = 2;

// Whose lease ran out because nobody could renew it: one that was given before the outage, so that it ran out within a
// lease's time of its beginning, and whose worker was seen at most SEEN before it. The grace is both times together. So
// when a lease that was spared is to be spared again, the other outage began at least SEEN after the first time, and the
// worker must have been seen since: one that is dead is spared once, by however many sweepers, restarted or not.
const SPARED = `
  t.leased_until between $11::timestamptz + make_interval(secs => $14) and $11 + make_interval(secs => $12)
  and exists (select from workers w where w.id = t.worker and w.seen_at >= $11 - make_interval(secs => $13))`;

// A lost lease goes back to the place in the queue that it had (run_at stays), so a killed worker costs a task no more
// than the lease; the attempt stays counted, so a task that kills its workers ends too. What is removed takes its delivery
// along (on delete cascade), and with it every secret and stored body. `lost`, `overdue` and `waited` are never the same
// rows: sweep_at tells the first two apart, worker the first and the last.
const SWEEP = {
  name: 'sweep',
  text: `
    with lost as materialized (
      select id, attempts < $1 as has_attempts, coalesce(${SPARED}, false) as is_spared
        from tasks t
       where worker is not null and leased_until < now() and (sweep_at is null or sweep_at >= now())
       limit $3
         for update skip locked
    ),
    overdue as materialized (
      select id, expires_at is not null and expires_at < now() as expired
        from tasks
       where sweep_at < now()
       order by sweep_at
       limit $3
         for update skip locked
    ),
    returned as (
      update tasks t
         set worker = null, leased_until = null
        from lost
       where t.id = lost.id and lost.has_attempts and not lost.is_spared
      returning t.id
    ),
    spared as (
      update tasks t
         set leased_until = now() + make_interval(secs => $12) + make_interval(secs => $13)
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
             processing_ms = (extract(epoch from now() - t.started_at) * 1000)::bigint,
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
    removed as (
      delete from tasks t using overdue where t.id = overdue.id and overdue.expired returning t.id
    ),
    waited as materialized (
      select id
        from tasks
       where service = any($8::text[]) and worker is null and finished_at is null and priority = $9
         and run_at < now() - make_interval(secs => $2)
         and (sweep_at is null or sweep_at >= now())
       limit $3
         for update skip locked
    ),
    promoted as (
      update tasks t set priority = $10 from waited where t.id = waited.id returning t.id
    )
    select (select count(*) from returned)::int as returned,
           (select coalesce(json_object_agg(service, n), '{}')
              from (select service, count(*) as n from failed group by service) as f) as failed,
           (select count(*) from promoted)::int as promoted,
           (select count(*) from removed)::int as removed,
           (select count(*) from spared)::int as spared,
           now() as at,
           (select extract(epoch from leased_until - now())::float8 * 1000
              from tasks
             where worker is not null and leased_until >= now()
             order by leased_until
             limit 1) as "nextLeaseMs"`,
};
