import { CLIENT_LIMIT_MS, type Db, type Statement } from '../base/db.ts';
import type { BatchShare } from './batch-share.ts';
import { HINT_CHANNEL } from './hints.ts';
import { jsonColumn, jsonColumnSql } from './json-column.ts';
import { type Nullable, withoutNulls } from './null-columns.ts';
import { type Fronts, floorParameters, IS_WAITING, isAboveFloor, type QueueFloors } from './queue-floors.ts';
import type { AttemptResult, Claim, ClaimRequest, CompleteAndClaimResult, Renewal } from './store.ts';
import { PRIORITY_VALUE, type Priority } from './task.ts';
import { deliveriesDueSql, MAX_PROCESSING_MS, withAttemptLogged } from './task-rows.ts';

/**
 * Records attempt results and claims tasks in one statement, which saves a round trip per batch. `notifies`: the commit sends the
 * hint of the ends.
 */
export async function completeAndClaim(
  db: Db,
  queueFloors: QueueFloors,
  batchShare: BatchShare,
  endings: readonly AttemptResult[],
  request: ClaimRequest,
  notifies = false,
): Promise<CompleteAndClaimResult> {
  const { service, worker, leaseMs, busy = false, claim = null } = request;
  const limit = Math.min(request.limit, MAX_CLAIMS);
  const results = endingParameters(endings);
  if (limit === 0) {
    const { rows } = await db.query<{ id: string }>(COMPLETE, [worker, ...results, notifies]);
    return { ended: rows.map(({ id }) => id), claimed: [], notified: notifies };
  }
  const floors = await queueFloors.get(service);
  const claimParameters = [service, worker, limit, leaseMs, busy, ...floorParameters(floors), claim];
  const batchFirst = batchShare.isDue(service);
  const statements = batchFirst ? BATCH_FIRST : IN_ORDER;
  const { rows } = await (endings.length === 0
    ? db.query<AdvanceRow>(statements.claim, claimParameters)
    : db.query<AdvanceRow>(statements.advance, [...claimParameters, ...results, notifies])
  ).catch((error: unknown) => {
    queueFloors.requestSearch(service);
    throw error;
  });
  const claims = rows.filter((row): row is ClaimRow => !row.ended && row.id !== null);
  const batchClaims = claims.filter(({ priority }) => priority === PRIORITY_VALUE.batch).length;
  batchShare.count(service, claims.length, batchFirst ? batchClaims : 0);
  const { at, kept_back, batch_kept_back } = rows.find((row): row is ClaimRow | NoClaimRow => !row.ended)!;
  if (!kept_back) {
    const fronts = frontsOf(claims);
    queueFloors.raise(service, floors, at, batch_kept_back ? { ...fronts, batch: undefined } : fronts);
  }
  return {
    ended: rows.filter((row) => row.ended).map(({ id }) => id),
    claimed: claims.map(toClaim),
    notified: notifies,
    moreMayWait: batch_kept_back || !db.canListen,
  };
}

const ENDING_TYPES = 'text smallint text json text text int float8 bool json json text'.split(' ');

/** One parameter per column of `ending`: arrays, and texts for JSON. */
function endingParameters(endings: readonly AttemptResult[]): unknown[] {
  const sorted = [...endings].sort(byId);
  return [
    sorted.map((e) => e.id),
    sorted.map((e) => e.attempt),
    sorted.map((e) => e.outcome),
    jsonColumn(sorted.map((e) => (e.outcome === 'done' ? e.result : undefined))),
    sorted.map((e) => (e.outcome === 'failed' ? e.failure.code : null)),
    sorted.map((e) => (e.outcome === 'failed' ? e.failure.message : null)),
    sorted.map((e) => (e.outcome === 'again' ? null : Math.min(Math.round(e.processingMs), MAX_PROCESSING_MS))),
    sorted.map((e) => (e.outcome === 'again' ? e.delayMs : null)),
    sorted.map((e) => e.outcome === 'again' && e.uncounted === true),
    jsonColumn(sorted.map((e) => (e.outcome === 'done' ? e.attachment : undefined))),
    jsonColumn(sorted.map(({ steps }) => steps)),
    sorted.map((e) => (e.outcome === 'again' ? (e.reason ?? null) : null)),
  ];
}

/** The front of the queue. */
function frontsOf(claims: readonly ClaimRow[]): Fronts {
  const first = (priority: Priority) => {
    const found = claims.flatMap(({ front, priority: rank }) =>
      rank === PRIORITY_VALUE[priority] ? (front ?? []) : [],
    );
    return found.length > 0 ? Math.min(...found) : undefined;
  };
  return { realtime: first('realtime'), batch: first('batch') };
}

/** Extends leases that are still held; stores progress and checkpoints. */
export async function renew(db: Db, worker: string, renewals: readonly Renewal[]): Promise<string[]> {
  if (renewals.length === 0) return [];
  const leases = [...renewals].sort(byId);
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

/**
 * With `=` the planner could scan the partial index `tasks_leased`, which is larger than its statistics say while a snapshot
 * is open.
 */
const isHeldBy = (worker: string) => `t.worker is not distinct from ${worker}`;

/** One lock order for both statements of a worker prevents deadlocks. */
const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);

/** A reservation expires after this time; its worker renews it at least every second. */
const RESERVED_SECONDS = 10;

/** A task that was not returned has a tag for `run_at`, which may be later than the clock. */
const IS_CLAIMABLE = `${IS_WAITING} and (returned is null or run_at <= now())`;

/** A claim locks and returns at most so many tasks. */
export const MAX_CLAIMS = 1000;

/**
 * The first `$3` rows of at most 4 `MAX_CLAIMS`. The planner expects a limit of unknown value to return a tenth of the rows: of three
 * limits it expects a few rows, and therefore reuses one plan. With thousands of rows it would plan each statement again, which took
 * a third of the time of a claim of 25 tasks and two thirds of a claim of one (docs/performance.md).
 */
const limitedToFew = (rows: string): string =>
  `select * from (select * from (select * from (${rows} limit $3) as a limit $3) as b limit $3) as c`;

/** The first tasks of a priority: handed-back tasks, then those above the floor. */
const waiting = (priority: Priority, floor: string, condition = 'true') => `
      select * from (
        select id, null::float8 as front
          from tasks
         where ${IS_WAITING} and priority = ${PRIORITY_VALUE[priority]} and returned = 'handed_back' and run_at <= now() and ${condition}
         order by run_at, id
         limit ${MAX_CLAIMS}
           for update skip locked) as handed_back
      union all
      select * from (
        select id, extract(epoch from run_at)::float8
          from tasks
         where ${IS_WAITING} and priority = ${PRIORITY_VALUE[priority]} and ${isAboveFloor(floor)} and returned is null
           and ${condition}
         order by run_at, id
         limit ${MAX_CLAIMS}
           for update skip locked) as in_order`;

const IS_RESERVED = '(reserved_by = $2 and reserved_until > now())';

// `lost`: the first task whose worker was lost, unless another worker has reserved it. An idle worker claims it alone. A
// busy worker reserves it and claims nothing until it is idle; realtime tasks that arrive meanwhile do not delay that.
// Behind realtime tasks, a lost batch task holds back only batch tasks, until it is the turn of a batch task.
const claimedSql = (waitingTasks: string, isBatchFirst: boolean) => `
    lost as materialized (
      select id,
             ${isBatchFirst} or priority = ${PRIORITY_VALUE.realtime} or ${IS_RESERVED} or not exists (
               select from tasks where ${IS_CLAIMABLE} and priority = ${PRIORITY_VALUE.realtime} and ${isAboveFloor('$6')}) as is_next
        from tasks
       where ${IS_WAITING} and returned = 'lost' and run_at <= now() and $3 > 0
         and (not $5 or reserved_until is null or reserved_until < now() or reserved_by = $2)
       order by priority, run_at, id
       limit 1
         for update skip locked
    ),
    reserved as (
      update tasks t
         set reserved_by = $2, reserved_until = now() + interval '${RESERVED_SECONDS} seconds'
        from lost
       where t.id = lost.id and is_next and $5
    ),
    next as materialized (
      select id, null::float8 as front from lost where is_next and not $5
      union all
      ${limitedToFew(`select * from (${waitingTasks}) as in_order where not exists (select from lost where is_next)`)}
    ),
    claimed as (
      update tasks t
         set status       = 'processing',
             worker       = $2,
             claim        = $8::int,
             leased_until = now() + $4::float8 * interval '1 millisecond',
             attempts     = t.attempts + 1,
             claimed_at   = now(),
             started_at   = coalesce(t.started_at, now())
        from next
       where t.id = next.id
      returning t.id, t.attempts as attempt, t.input, t.principal, t.checkpoint, t.request_id as "requestId", t.traceparent,
                t.estimate_seconds as "estimateSeconds", extract(epoch from now() - t.queued_at)::float8 * 1000 as "waitedMs",
                nullif(t.returned = 'lost', false) as alone, t.priority, next.front
    )`;

// At least one row, with the time and with whether a lost task has held back other tasks.
const RESULT_ROWS = `
    select false as ended, claimed.*, extract(epoch from now())::float8 as at,
           exists (select from lost where is_next) as kept_back,
           exists (select from lost) as batch_kept_back
      from (select) as once
      left join claimed on true`;

// Does not wait for the disk: if a database crash loses the claim, the task is queued again and fencing rejects the late
// result (docs/decisions/0021-results-as-text.md).
const claimStatement = (name: string, claimed: string): Statement => ({
  name,
  limitMs: CLIENT_LIMIT_MS,
  text: `
    with quick as materialized (select set_config('synchronous_commit', 'off', true)),${claimed}
    select answer.* from quick, (${RESULT_ROWS}) as answer`,
});

const columnSql = (parameter: string, type: string) =>
  type === 'json' ? jsonColumnSql(parameter) : `${parameter}::${type}[]`;

/** `first`: the number of the first parameter made by `endingParameters`. */
const endedSql = (worker: string, first: number) => `
    with ending as materialized (
      select * from unnest(${ENDING_TYPES.map((type, i) => columnSql(`$${first + i}`, type)).join(', ')})
           as e (id, attempt, outcome, result, error_code, error, processing_ms, delay_ms, uncounted, attachment, steps, reason)
       limit cardinality($${first}::text[]) -- for the planner few rows: it does not scan the table
    ),
    ended as (
      update tasks t
         set status        = case e.outcome when 'again' then 'processing' else e.outcome end,
             finished_at   = case e.outcome when 'again' then null else now() end,
             run_at        = case when e.delay_ms > 0 then now() + e.delay_ms * interval '1 millisecond'
                                  when e.outcome = 'again' then least(t.run_at, now()) else t.run_at end,
             returned      = case e.outcome when 'again' then coalesce(t.returned, 'handed_back') else t.returned end,
             attempts      = case when e.uncounted then t.attempts - 1 else t.attempts end,
             result        = nullif(e.result, '')::json,
             attachment    = nullif(e.attachment, '')::json,
             error_code    = e.error_code,
             error         = e.error,
             processing_ms = e.processing_ms,
             checkpoint    = case e.outcome when 'again' then t.checkpoint end,
             attempt_log   = ${withAttemptLogged(
               `'steps', nullif(e.steps, '')::jsonb, 'error', e.error_code, 'reason', e.reason, 'delay', e.delay_ms`,
             )},
             worker        = null,
             leased_until  = null
        from ending e
       where t.id = e.id and ${isHeldBy(worker)} and t.attempts = e.attempt
      returning t.id, e.outcome
    ),
    due as (${deliveriesDueSql('ended', "ended.outcome <> 'again'")})`;

/** `at`: the number of the parameter `notifies`. */
const hintedSql = (at: number) =>
  `case when $${at}::bool then pg_notify('${HINT_CHANNEL}', 'finished ' || id)::text end`;

// Ended rows and claimed rows are disjoint: at the statement's start, this worker holds the former and no worker the latter.
const advanceStatement = (name: string, claimed: string): Statement => ({
  name,
  limitMs: CLIENT_LIMIT_MS, // shorter than a lease
  text: `${endedSql('$2', 9)},${claimed}
    ${RESULT_ROWS}
    union all
    select true, id, null, null, ${hintedSql(9 + ENDING_TYPES.length)}, null, null, null, null, null, null, null, null, null, null, null from ended`,
});

/** Without a claim: half of the time of `advance` for one result. */
const COMPLETE: Statement = {
  name: 'complete',
  limitMs: CLIENT_LIMIT_MS,
  text: `
    ${endedSql('$1', 2)}
    select id, ${hintedSql(2 + ENDING_TYPES.length)} from ended`,
};

interface Statements {
  readonly claim: Statement;
  readonly advance: Statement;
}

const REALTIME = waiting('realtime', '$6');
const BATCH = waiting('batch', '$7', 'not exists (select from lost)');
const REALTIME_FIRST = claimedSql(`${REALTIME} union all ${BATCH}`, false);
const BATCH_FIRST_SQL = claimedSql(`${BATCH} union all ${REALTIME}`, true);
const IN_ORDER: Statements = {
  claim: claimStatement('claim', REALTIME_FIRST),
  advance: advanceStatement('advance', REALTIME_FIRST),
};
const BATCH_FIRST: Statements = {
  claim: claimStatement('claim-batch', BATCH_FIRST_SQL),
  advance: advanceStatement('advance-batch', BATCH_FIRST_SQL),
};

// Locks the rows in one order, whatever plan joins them.
const RENEW = {
  name: 'renew',
  limitMs: 1800, // a lease has 4 s left: time for a retry
  text: `
    with held as materialized (
      select id from tasks t where id = any($2::text[]) and ${isHeldBy('$1')} order by id for update
    )
    update tasks t
       set leased_until = now() + l.lease_ms * interval '1 millisecond',
           progress     = coalesce(l.progress, t.progress),
           checkpoint   = coalesce(l.checkpoint::json, t.checkpoint)
      from unnest($2::text[], $3::smallint[], $4::float8[], $5::real[], $6::text[])
           as l (id, attempt, lease_ms, progress, checkpoint)
      join held using (id)
     where t.id = l.id and t.attempts = l.attempt
    returning t.id`,
};

type AdvanceRow = ClaimRow | NoClaimRow | { ended: true; id: string };

interface Clock {
  ended: false;
  at: number;
  kept_back: boolean;
  batch_kept_back: boolean;
}

interface NoClaimRow extends Clock {
  id: null;
}

interface ClaimRow extends Clock, Nullable<Claim> {
  readonly priority: number;
  /** `run_at` of a task found in queue order. */
  readonly front: number | null;
}

function toClaim({ ended, at, kept_back, batch_kept_back, priority, front, ...claim }: ClaimRow): Claim {
  return withoutNulls<Claim>(claim);
}
