import { CLIENT_LIMIT_MS, type Db } from '../base/db.ts';
import type { JsonValue } from '../base/json.ts';
import type { Claim, Ending, Renewal, Want } from './store.ts';

/** Ends attempts and claims new ones in one statement: a busy worker needs one round trip a batch, not two. */
export async function advance(
  db: Db,
  given: readonly Ending[],
  want: Want,
): Promise<{ ended: string[]; claimed: Claim[] }> {
  const wanted = [want.service, want.worker, want.limit, want.leaseMs];
  if (given.length === 0) return { ended: [], claimed: (await db.query<ClaimRow>(CLAIM, wanted)).rows.map(toClaim) };
  const endings = [...given].sort(byId);
  const { rows } = await db.query<AdvanceRow>(ADVANCE, [
    ...wanted,
    endings.map((e) => e.id),
    endings.map((e) => e.attempt),
    endings.map((e) => e.outcome),
    endings.map((e) => (e.outcome === 'done' ? JSON.stringify(e.result) : null)),
    endings.map((e) => (e.outcome === 'failed' ? e.failure.code : null)),
    endings.map((e) => (e.outcome === 'failed' ? e.failure.sentence : null)),
    endings.map((e) => (e.outcome === 'again' ? null : Math.round(e.processingMs))),
    endings.map((e) => (e.outcome === 'again' ? e.delayMs : null)),
    endings.map((e) => e.outcome === 'again' && e.uncounted === true),
    endings.map((e) => (e.outcome === 'done' && e.attachment !== undefined ? JSON.stringify(e.attachment) : null)),
  ]);
  return {
    ended: rows.filter((row) => row.ended).map((row) => row.id),
    claimed: rows.filter((row) => !row.ended).map(toClaim),
  };
}

/** Prolongs leases that are still held, with what is known of the progress. */
export async function renew(db: Db, worker: string, given: readonly Renewal[]): Promise<string[]> {
  if (given.length === 0) return [];
  const leases = [...given].sort(byId);
  const { rows } = await db.query<{ id: string }>(RENEW, [
    worker,
    leases.map((l) => l.id),
    leases.map((l) => l.attempt),
    leases.map((l) => l.leaseMs),
    leases.map((l) => l.progress ?? null),
    leases.map((l) => (l.checkpoint ? JSON.stringify(l.checkpoint) : null)),
  ]);
  return rows.map((row) => row.id);
}

/** The order in which both statements lock their rows, so that a worker's two never wait for each other in a circle. */
const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);

const CLAIMED = `
    next as materialized (
      select id
        from tasks
       where service = $1 and worker is null and finished_at is null and run_at <= now()
       order by priority, run_at, id
       limit $3
         for update skip locked
    ),
    claimed as (
      update tasks t
         set status       = 'processing',
             worker       = $2,
             leased_until = now() + $4::float8 * interval '1 millisecond',
             attempts     = t.attempts + 1,
             started_at   = coalesce(t.started_at, now())
        from next
       where t.id = next.id
      returning t.id, t.attempts, t.input, t.principal, t.checkpoint, t.request_id, t.traceparent, t.estimate_seconds,
                extract(epoch from now() - t.queued_at)::float8 * 1000 as waited_ms
    )`;

// Does not wait for the disk. What a crash of the database may forget of a claim is that somebody had it: then the task
// waits again, and the fence refuses whoever works on it (docs/decisions/0021-cheap-reads.md).
const CLAIM = {
  name: 'claim',
  limitMs: CLIENT_LIMIT_MS,
  text: `
    with quick as materialized (select set_config('synchronous_commit', 'off', true)),${CLAIMED}
    select claimed.* from quick, claimed`,
};

// Rows that end here and rows that are claimed here are never the same: what ends is held by this worker, what is
// claimed is held by nobody, both judged at the statement's start.
const ADVANCE = {
  name: 'advance',
  limitMs: CLIENT_LIMIT_MS, // later a lease has run out anyway
  text: `
    with ending as materialized (
      select * from unnest(
        $5::text[], $6::smallint[], $7::text[], $8::text[], $9::text[], $10::text[], $11::int[], $12::float8[], $13::bool[],
        $14::text[]
      ) as e (id, attempt, outcome, result, error_code, error, processing_ms, delay_ms, uncounted, attachment)
    ),
    ended as (
      update tasks t
         set status        = case e.outcome when 'again' then 'processing' else e.outcome end,
             finished_at   = case e.outcome when 'again' then null else now() end,
             run_at        = case when e.delay_ms > 0 then now() + e.delay_ms * interval '1 millisecond' else t.run_at end,
             attempts      = case when e.uncounted then t.attempts - 1 else t.attempts end,
             result        = e.result::json,
             attachment    = e.attachment::json,
             error_code    = e.error_code,
             error         = e.error,
             processing_ms = e.processing_ms,
             checkpoint    = case e.outcome when 'again' then t.checkpoint end,
             worker        = null,
             leased_until  = null
        from ending e
       where t.id = e.id and t.worker = $2 and t.attempts = e.attempt
      returning t.id, e.outcome
    ),
    due as (
      update deliveries d set due_at = now() from ended where d.task_id = ended.id and ended.outcome <> 'again'
    ),${CLAIMED}
    select false as ended, id, attempts, input, principal, checkpoint, request_id, traceparent,
           estimate_seconds, waited_ms
      from claimed
    union all
    select true, id, null, null, null, null, null, null, null, null from ended`,
};

const RENEW = {
  name: 'renew',
  limitMs: 1800, // of the four seconds that a lease has left, so that there is time for another try
  text: `
    update tasks t
       set leased_until = now() + l.lease_ms * interval '1 millisecond',
           progress     = coalesce(l.progress, t.progress),
           checkpoint   = coalesce(l.checkpoint::json, t.checkpoint)
      from unnest($2::text[], $3::smallint[], $4::float8[], $5::real[], $6::text[])
           as l (id, attempt, lease_ms, progress, checkpoint)
     where t.id = l.id and t.worker = $1 and t.attempts = l.attempt
    returning t.id`,
};

interface AdvanceRow extends ClaimRow {
  ended: boolean;
}

interface ClaimRow {
  id: string;
  attempts: number;
  input: JsonValue;
  principal: string;
  checkpoint: JsonValue;
  request_id: string | null;
  traceparent: string | null;
  estimate_seconds: number;
  waited_ms: number;
}

function toClaim(row: ClaimRow): Claim {
  return {
    id: row.id,
    attempt: row.attempts,
    input: row.input,
    principal: row.principal,
    estimateSeconds: row.estimate_seconds,
    waitedMs: row.waited_ms,
    ...(row.checkpoint !== null && { checkpoint: row.checkpoint }),
    ...(row.request_id !== null && { requestId: row.request_id }),
    ...(row.traceparent !== null && { traceparent: row.traceparent }),
  };
}
