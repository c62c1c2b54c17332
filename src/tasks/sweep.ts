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
  ]);
  return rows[0]!;
}

// A lost lease goes back to the place in the queue that it had (run_at stays), so a killed worker costs a task no more
// than the lease; the attempt stays counted, so a task that kills its workers ends too. What is removed takes its delivery
// along (on delete cascade), and with it every secret and stored body. `lost`, `overdue` and `waited` are never the same
// rows: sweep_at tells the first two apart, worker the first and the last.
const SWEEP = {
  name: 'sweep',
  text: `
    with lost as materialized (
      select id, attempts < $1 as has_attempts
        from tasks
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
       where t.id = lost.id and lost.has_attempts
      returning t.id
    ),
    doomed as (
      select id, $4::text as code, $5::text as sentence from lost where not has_attempts
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
           (select count(*) from removed)::int as removed`,
};
