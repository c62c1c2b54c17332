import type { Db } from '../base/db.ts';
import { TASK_COLUMNS, type TaskRow, toTask } from './rows.ts';
import type { DeliveryOutcome, DeliveryWant, DueDelivery } from './store.ts';

/** Takes due deliveries under a lease; the attempt is counted here, when it starts. */
export async function dueDeliveries(db: Db, want: DeliveryWant): Promise<DueDelivery[]> {
  const { rows } = await db.query<DueRow>(DUE, [
    want.limit,
    want.leaseMs,
    want.perOrigin,
    [...want.underWay.keys()],
    [...want.underWay.values()],
  ]);
  return rows.map((row) => ({
    id: row.delivery!.id,
    url: row.url,
    origin: row.origin,
    attempt: row.delivery!.attempts,
    task: toTask(row),
    ...(row.secret !== null && { secret: row.secret }),
    ...(row.body !== null && { body: row.body }),
    ...(row.request_id !== null && { requestId: row.request_id }),
    ...(row.traceparent !== null && { traceparent: row.traceparent }),
  }));
}

/** The first bytes kept are the bytes: two deliverers that serialise at once send the same. */
export async function keepBody(db: Db, deliveryId: string, body: string): Promise<string> {
  const { rows } = await db.query<{ body: string }>(
    'update deliveries set body = coalesce(body, $2) where id = $1 returning body',
    [deliveryId, body],
  );
  return rows[0]?.body ?? body;
}

/** Writes an attempt's outcome down while it is still the latest one. */
export async function settle(db: Db, deliveryId: string, attempt: number, outcome: DeliveryOutcome): Promise<boolean> {
  const { rowCount } = await db.query(SETTLE, [
    deliveryId,
    attempt,
    outcome.state,
    outcome.state === 'pending' || outcome.state === 'postponed' ? outcome.delayMs : null,
    outcome.state === 'postponed' ? null : (outcome.statusCode ?? null),
    outcome.state === 'pending' || outcome.state === 'failed' ? outcome.error : null,
  ]);
  return rowCount > 0;
}

/** Deliveries that are due now or later. */
export async function pendingDeliveries(db: Db): Promise<number> {
  const { rows } = await db.query<{ n: number }>('select count(*) as n from deliveries where due_at is not null');
  return rows[0]!.n;
}

const DUE = {
  name: 'due-deliveries',
  text: `
    with candidate as materialized (
      select id, origin, row_number() over (partition by origin order by due_at, id) as place
        from (select id, origin, due_at
                from deliveries
               where due_at <= now() and (leased_until is null or leased_until < now())
                 and origin not in (select o from unnest($4::text[], $5::int[]) as full_house (o, n) where n >= $3)
               order by due_at
               limit $1 * 20) as oldest
    ),
    due as materialized (
      select d.id
        from deliveries d
        join candidate c on c.id = d.id
        left join unnest($4::text[], $5::int[]) as busy (origin, under_way) on busy.origin = c.origin
       where c.place <= $3 - coalesce(busy.under_way, 0)
         and d.due_at <= now() and (d.leased_until is null or d.leased_until < now())
       order by d.due_at
       limit $1
         for update of d skip locked
    ),
    taken as (
      update deliveries d
         set attempts        = d.attempts + 1,
             last_attempt_at = now(),
             leased_until    = now() + $2::float8 * interval '1 millisecond'
        from due
       where d.id = due.id
      returning d.*
    )
    select ${TASK_COLUMNS}, d.url, d.origin, d.secret, d.body, t.request_id, t.traceparent
      from taken d
      join tasks t on t.id = d.task_id`,
};

const SETTLE = {
  name: 'settle-delivery',
  text: `
    update deliveries d
       set state                = case when $3 = 'delivered' then 'delivered'
                                       when $3 = 'failed' or t.expires_at <= now() + next.delay then 'failed'
                                       else 'pending' end,
           attempts             = case $3 when 'postponed' then d.attempts - 1 else d.attempts end,
           last_attempt_at      = case $3 when 'postponed' then null else d.last_attempt_at end,
           due_at               = case when t.expires_at <= now() + next.delay then null else now() + next.delay end,
           leased_until         = null,
           delivered_at         = case when $3 = 'delivered' then now() end,
           response_status_code = $5,
           last_error           = $6
      from tasks t, (select $4::float8 * interval '1 millisecond' as delay) as next
     where d.id = $1 and d.attempts = $2 and d.leased_until is not null and t.id = d.task_id`,
};

type DueRow = TaskRow & {
  url: string;
  origin: string;
  secret: Buffer | null;
  body: string | null;
  request_id: string | null;
  traceparent: string | null;
};
