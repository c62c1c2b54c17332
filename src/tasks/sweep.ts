import type { Db } from '../base/db.ts';
import type { SweepLimits, Swept } from './store.ts';
import { FAILURES } from './task.ts';

/** One round of housekeeping. Sweeps of several processes do not wait for each other: each takes what no one has locked. */
export async function sweep(db: Db, limits: SweepLimits): Promise<Swept> {
  const { rows } = await db.query<{ returned: number; failed: Record<string, number>; promoted: number }>(SWEEP, [
    limits.maxAttempts,
    limits.batchMaxWaitSeconds,
    limits.rows,
    FAILURES.WORKER_LOST.code,
    FAILURES.WORKER_LOST.sentence,
    FAILURES.DEADLINE_EXCEEDED.code,
    FAILURES.DEADLINE_EXCEEDED.sentence,
  ]);
  const { rowCount: removed } = await db.query(REMOVE, [limits.rows]);
  return { ...rows[0]!, removed };
}

// A lost lease goes back to the place in the queue that it had (run_at stays), so a killed worker costs a task no more
// than the lease; the attempt stays counted, so a task that kills its workers ends too.
const SWEEP = {
  name: 'sweep',
  text: `
    with lost as materialized (
      select id, attempts < $1 as has_attempts, deadline_at < now() as late
        from tasks
       where worker is not null and leased_until < now()
       limit $3
         for update skip locked
    ),
    late as materialized (
      select id
        from tasks
       where finished_at is null and deadline_at < now() and (leased_until is null or leased_until >= now())
       limit $3
         for update skip locked
    ),
    returned as (
      update tasks t
         set worker = null, leased_until = null
        from lost
       where t.id = lost.id and lost.has_attempts and not lost.late
      returning t.id
    ),
    doomed as (
      select id, $4::text as code, $5::text as sentence from lost where not has_attempts and not late
      union all
      select id, $6::text, $7::text from lost where late
      union all
      select id, $6::text, $7::text from late
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
    waited as materialized (
      select id
        from tasks
       where worker is null and finished_at is null and priority > 0
         and queued_at < now() - make_interval(secs => $2)
         and deadline_at >= now()
       limit $3
         for update skip locked
    ),
    promoted as (
      update tasks t set priority = 0 from waited where t.id = waited.id returning t.id
    )
    select (select count(*) from returned)::int as returned,
           (select coalesce(json_object_agg(service, n), '{}')
              from (select service, count(*) as n from failed group by service) as f) as failed,
           (select count(*) from promoted)::int as promoted`,
};

// Deliveries go with their task (on delete cascade), and with them every secret and stored body.
const REMOVE = {
  name: 'remove-expired',
  text: `
    delete from tasks
     where id in (select id from tasks where expires_at < now() order by expires_at limit $1 for update skip locked)`,
};
