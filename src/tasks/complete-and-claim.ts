import { CLIENT_LIMIT_MS, type Db, type Statement } from '../base/db.ts';
import type { BatchShare } from './batch-share.ts';
import { HINT_CHANNEL } from './hints.ts';
import { jsonColumn, jsonColumnSql } from './json-column.ts';
import { byId, isHeldBy } from './leases.ts';
import type { Nullable } from './null-columns.ts';
import { type Fronts, floorParameters, IS_WAITING, isAboveFloor, type QueueFloors } from './queue-floors.ts';
import type { AttemptResult, Claim, ClaimRequest, CompleteAndClaimResult } from './store.ts';
import { PRIORITY_VALUE, type Priority } from './task.ts';
import { afterEndSql, ENDED_COLUMNS, MAX_PROCESSING_MS, withAttemptLogged } from './task-rows.ts';

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
    const { rows } = await db.query<{ ended: string | null }>(COMPLETE, [worker, ...results, notifies]);
    return { ended: toIds(rows[0]!.ended), claimed: [], notified: notifies };
  }
  const floors = await queueFloors.get(service);
  const claimParameters = [service, worker, limit, leaseMs, busy, ...floorParameters(floors), claim];
  const batchFirst = batchShare.isDue(service);
  const statements = batchFirst ? BATCH_FIRST : IN_ORDER;
  const { rows } = await (endings.length === 0
    ? db.query<ClaimRow | ScanRow>(statements.claim, claimParameters)
    : db.query<ClaimRow | ScanRow>(statements.advance, [...claimParameters, ...results, notifies])
  ).catch((error: unknown) => {
    queueFloors.requestSearch(service);
    throw error;
  });
  const claimed = rows.flatMap((row) => (row.scan === null ? [toClaim(row)] : []));
  const { scan } = rows.find((row): row is ScanRow => row.scan !== null)!;
  batchShare.count(service, claimed.length, batchFirst ? scan.batchClaims : 0);
  if (!scan.keptBack) queueFloors.raise(service, floors, scan.at, frontsOf(scan));
  // If it fails, the next claim reserves the task.
  else if (busy) await db.query(RESERVE, [service, worker]).catch(() => {});
  return {
    ended: toIds(scan.ended),
    claimed,
    notified: notifies,
    moreMayWait: scan.batchKeptBack || !db.canListen,
  };
}

const toIds = (ids: string | null) => ids?.split(' ') ?? [];

const ENDING_TYPES = 'text smallint text json text text int float8 bool json json text'.split(' ');

/** One parameter per column of `ending`: arrays, and texts for JSON. */
function endingParameters(endings: readonly AttemptResult[]): unknown[] {
  const sorted = [...endings].sort(byId);
  return [
    sorted.map((e) => e.id),
    sorted.map((e) => e.attempt),
    sorted.map((e) => e.outcome),
    jsonColumn(sorted.map((e) => (e.outcome === 'done' ? e.result : undefined))),
    rareColumn(sorted.map((e) => (e.outcome === 'failed' ? e.failure.code : null))),
    rareColumn(sorted.map((e) => (e.outcome === 'failed' ? e.failure.message : null))),
    sorted.map((e) => (e.outcome === 'again' ? null : Math.min(Math.round(e.processingMs), MAX_PROCESSING_MS))),
    rareColumn(sorted.map((e) => (e.outcome === 'again' ? e.delayMs : null))),
    rareColumn(sorted.map((e) => (e.outcome === 'again' && e.uncounted === true) || null)),
    jsonColumn(sorted.map((e) => (e.outcome === 'done' ? e.attachment : undefined))),
    jsonColumn(sorted.map(({ steps }) => steps)),
    rareColumn(sorted.map((e) => (e.outcome === 'again' ? (e.reason ?? null) : null))),
  ];
}

/** `unnest` adds the missing nulls, which `pg` and PostgreSQL then need not convert. */
const rareColumn = <T>(values: readonly (T | null)[]): readonly (T | null)[] =>
  values.every((value) => value === null) ? [] : values;

/** The front of the queue. */
const frontsOf = ({ realtime, batch, batchKeptBack }: Scan): Fronts => ({
  realtime: realtime ?? undefined,
  batch: batchKeptBack ? undefined : (batch ?? undefined),
});

/** A reservation expires after this time; its worker renews it at least every second. */
const RESERVED_SECONDS = 10;

const IS_RESERVED = '(reserved_by = $2 and reserved_until > now())';
const IS_LOST = `${IS_WAITING} and returned = 'lost' and run_at <= now()`;
const IS_RESERVABLE = '(reserved_until is null or reserved_until < now() or reserved_by = $2)';

/** Of its own, because it is rare: within the statement of each claim it took 2 % of the time. */
const RESERVE: Statement = {
  name: 'reserve',
  limitMs: CLIENT_LIMIT_MS,
  text: `
    with quick as materialized (select set_config('synchronous_commit', 'off', true))
    update tasks
       set reserved_by = $2, reserved_until = now() + interval '${RESERVED_SECONDS} seconds'
      from quick
     where id = (select id
                   from tasks
                  where ${IS_LOST} and ${IS_RESERVABLE}
                  order by priority, run_at, id
                  limit 1
                    for update skip locked)`,
};

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

// `lost`: the first task whose worker was lost, unless another worker has reserved it. An idle worker claims it alone. A
// busy worker reserves it and claims nothing until it is idle; realtime tasks that arrive meanwhile do not delay that.
// Behind realtime tasks, a lost batch task holds back only batch tasks, until it is the turn of a batch task.
const claimedSql = (waitingTasks: string, isBatchFirst: boolean) => `
    lost as materialized (
      select id,
             ${isBatchFirst} or priority = ${PRIORITY_VALUE.realtime} or ${IS_RESERVED} or not exists (
               select from tasks where ${IS_CLAIMABLE} and priority = ${PRIORITY_VALUE.realtime} and ${isAboveFloor('$6')}) as is_next
        from tasks
       where ${IS_LOST} and $3 > 0 and (not $5 or ${IS_RESERVABLE})
       order by priority, run_at, id
       limit 1
         for update skip locked
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

/** SQL: a row per claim, and one with what the claim found, as JSON. `ended`: the ids of the ended tasks. */
const rowsSql = (ended: string): string => `
    select id, attempt, input, principal, checkpoint, "requestId", traceparent, "estimateSeconds", "waitedMs", alone,
           null::json as scan
      from claimed
    union all
    select null, null, null, null, null, null, null, null, null, null,
           json_build_object(
             'at', extract(epoch from now())::float8, 'ended', ${ended},
             'realtime', min(front) filter (where priority = ${PRIORITY_VALUE.realtime}),
             'batch', min(front) filter (where priority = ${PRIORITY_VALUE.batch}),
             'batchClaims', count(*) filter (where priority = ${PRIORITY_VALUE.batch}),
             'keptBack', exists (select from lost where is_next), 'batchKeptBack', exists (select from lost))
      from claimed`;

// Does not wait for the disk: if a database crash loses the claim, the task is queued again and fencing rejects the late
// result (docs/decisions/0021-results-as-text.md).
const claimStatement = (name: string, claimed: string): Statement => ({
  name,
  limitMs: CLIENT_LIMIT_MS,
  text: `
    with quick as materialized (select set_config('synchronous_commit', 'off', true)),${claimed}
    select answer.* from quick, (${rowsSql('null')}) as answer`,
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
             attempt_log   = case e.outcome when 'again' then ${withAttemptLogged(
               `'steps', nullif(e.steps, '')::jsonb, 'error', e.error_code, 'reason', e.reason, 'delay', e.delay_ms`,
             )} else t.attempt_log end,
             ended_by      = case when e.outcome <> 'again' then t.worker end,
             steps         = case when e.outcome <> 'again' then nullif(e.steps, '')::json end,
             worker        = null,
             leased_until  = null
        from ending e
       where t.id = e.id and ${isHeldBy(worker)} and t.attempts = e.attempt
      returning ${ENDED_COLUMNS}
    ),${afterEndSql('ended')}`;

/** SQL: the ids of the ended tasks as one text; the hint of their ends if the parameter `notifies` is true. */
const endedIdsSql = (notifies: number) => `(
      select ids from (select string_agg(id, ' ') as ids from ended) as e
       where case when $${notifies}::bool and ids is not null then pg_notify('${HINT_CHANNEL}', 'finished ' || ids) is not null
                  else true end)`;

// Ended rows and claimed rows are disjoint: at the statement's start, this worker holds the former and no worker the latter.
const advanceStatement = (name: string, claimed: string): Statement => ({
  name,
  limitMs: CLIENT_LIMIT_MS, // shorter than a lease
  text: `${endedSql('$2', 9)},${claimed}${rowsSql(endedIdsSql(9 + ENDING_TYPES.length))}`,
});

/** Without a claim: half of the time of `advance` for one result. */
const COMPLETE: Statement = {
  name: 'complete',
  limitMs: CLIENT_LIMIT_MS,
  text: `
    ${endedSql('$1', 2)}
    select ${endedIdsSql(2 + ENDING_TYPES.length)} as ended`,
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

interface ClaimRow extends Nullable<Claim> {
  readonly scan: null;
}

interface ScanRow {
  readonly scan: Scan;
}

interface Scan {
  readonly at: number;
  readonly ended: string | null;
  /** The first `run_at` of the tasks found in queue order. */
  readonly realtime: number | null;
  readonly batch: number | null;
  readonly batchClaims: number;
  /** Whether a lost task has held back other tasks. */
  readonly keptBack: boolean;
  readonly batchKeptBack: boolean;
}

/** A literal: it runs for each task. */
const toClaim = (row: ClaimRow): Claim => ({
  id: row.id,
  attempt: row.attempt,
  input: row.input,
  principal: row.principal,
  checkpoint: row.checkpoint ?? undefined,
  requestId: row.requestId ?? undefined,
  traceparent: row.traceparent ?? undefined,
  estimateSeconds: row.estimateSeconds,
  waitedMs: row.waitedMs,
  alone: row.alone ?? undefined,
});
