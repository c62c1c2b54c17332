import { CLIENT_LIMIT_MS, type Db } from '../base/db.ts';
import { withBatches } from './batch-queue.ts';
import type { Feed } from './events.ts';
import { HELD, IS_READABLE } from './task-rows.ts';

/** One task, or all deliveries whose last attempt failed at `since` (seconds since 1970) or later. */
export type RedeliverySelection =
  | { readonly taskId: string }
  | {
      readonly since: number;
      /** Also those that wait for a retry or for the end of a pause. */
      readonly pending: boolean;
    };

/** `limited`: too many redeliveries are queued. */
export type Redelivery =
  | { readonly outcome: 'queued'; readonly count: number; readonly more: boolean }
  | { readonly outcome: 'limited'; readonly retryAfterSeconds: number };

const MAX_COUNT = 1000;
/** Chosen: 50 a second per client, so that the callbacks of new tasks do not wait for redeliveries. */
const STEP_MS = 20;
const MAX_QUEUED = 10_000;
/** Time for some hundred redeliveries. */
const ROOM_SECONDS = 10;
/** The count of attempts is a smallint. */
const MAX_ATTEMPTS = 1000;

/**
 * Queues deliveries for another attempt with the same id and body, and starts their retry schedules again. The attempts of
 * one client start one after another, also those of several requests.
 */
export async function redeliver(db: Db, owner: Feed, selection: RedeliverySelection): Promise<Redelivery> {
  const isOne = 'taskId' in selection;
  const { rows } = await db.query<{ room: number; count: number }>(isOne ? REDELIVER_ONE : REDELIVER_SINCE, [
    owner.service,
    owner.principal,
    STEP_MS,
    isOne ? 1 : MAX_COUNT,
    MAX_QUEUED,
    isOne ? selection.taskId : selection.since,
    ...(isOne ? [] : [selection.pending ? ['failed', 'pending'] : ['failed']]),
  ]);
  const { room, count } = rows[0]!;
  if (room <= 0) {
    const retryAfterSeconds = Math.ceil((-room * STEP_MS) / 1000) + ROOM_SECONDS;
    return { outcome: 'limited', retryAfterSeconds };
  }
  return { outcome: 'queued', count, more: count === Math.min(room, MAX_COUNT) };
}

export async function deletePastPaces(db: Db): Promise<void> {
  await db.query('delete from redelivery_pace where next_at < now()');
}

// A pending delivery without an attempt since the last redelivery is queued already, unless it is held.
const CAN_BE_REDELIVERED = `
  d.leased_until is null and d.attempts < ${MAX_ATTEMPTS}
  and (${HELD} or d.attempts > 0 and (d.state <> 'pending' or d.attempts > coalesce(d.earlier_attempts, 0)))`;

const selected = (condition: string) => `
      select d.id
        from deliveries d
        join tasks t on t.id = d.task_id
       where d.principal = $2 and t.service in ${withBatches('$1')} and ${IS_READABLE} and ${CAN_BE_REDELIVERED} and ${condition}
       order by d.id
       limit (select least($4::int, greatest(places, 0)) from room)
         for update of d skip locked`;

const redeliverSql = (chosen: string) => `
    with room as materialized (
      select $5::int - coalesce(ceil(extract(epoch from max(next_at) - now()) * 1000 / $3::float8), 0)::int as places
        from redelivery_pace
       where principal = $2 and next_at > now()
    ),
    chosen as materialized (${chosen}),
    pace as (
      insert into redelivery_pace as p (principal, next_at)
      select $2, now() + count(*) * $3::float8 * interval '1 millisecond' from chosen having count(*) > 0
          on conflict (principal) do update set next_at = greatest(p.next_at, now()) + (excluded.next_at - now())
      returning next_at
    ),
    queued as (
      update deliveries d
         set state            = 'pending',
             delivered_at     = null,
             earlier_attempts = d.attempts,
             due_at           = least(d.due_at, pace.next_at - placed.from_end * $3::float8 * interval '1 millisecond')
        from (select id, row_number() over (order by id desc) as from_end from chosen) as placed
       cross join pace
       where d.id = placed.id
      returning d.id
    )
    select (select places from room) as room, (select count(*) from queued)::int as count`;

const REDELIVER_ONE = {
  name: 'redeliver-one',
  limitMs: CLIENT_LIMIT_MS,
  text: redeliverSql(selected('d.task_id = $6')),
};

const REDELIVER_SINCE = {
  name: 'redeliver-since',
  limitMs: CLIENT_LIMIT_MS,
  text: redeliverSql(`
      select found.id
        from unnest($7::text[]) as wanted (state)
       cross join lateral (
      ${selected('d.state = wanted.state and (d.last_attempt_at >= to_timestamp($6::float8) or d.attempts = 0)')}) as found
       order by found.id
       limit (select least($4::int, greatest(places, 0)) from room)`),
};
