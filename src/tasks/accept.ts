import { batched } from '../base/batch.ts';
import type { Db } from '../base/db.ts';
import type { Accepted, NewTask } from './store.ts';
import type { Priority } from './task.ts';

/** Lower is claimed first. */
export const RANK: Record<Priority, number> = { realtime: 0, batch: 1 };

/** Accepts that arrive together are written by one statement and answered after its commit. */
export const acceptTo = (db: Db): ((task: NewTask) => Promise<Accepted>) => batched((tasks) => acceptAll(db, tasks));

async function acceptAll(db: Db, tasks: NewTask[]): Promise<Accepted[]> {
  const { rows } = await db.query<{ id: string }>(ACCEPT, columns(tasks));
  const written = new Set(rows.map((row) => row.id));
  const first = written.size === tasks.length ? undefined : await firstUses(db, tasks, written);
  return tasks.map((task): Accepted => {
    if (written.has(task.id)) return { outcome: 'accepted', id: task.id, estimateSeconds: task.estimateSeconds };
    const earlier = first?.get(task.idempotency!.key.toString('hex'));
    // Removed between the two statements: so old that its time was over; the client's next try will be new.
    if (!earlier?.fingerprint.equals(task.idempotency!.fingerprint)) return { outcome: 'conflict' };
    return { outcome: 'replayed', id: earlier.id, estimateSeconds: earlier.estimate_seconds };
  });
}

const ACCEPT = {
  name: 'accept',
  text: `
    with entry as materialized (
      select * from unnest(
        $1::text[], $2::text[], $3::text[], $4::smallint[], $5::text[], $6::int[], $7::float8[], $8::float8[],
        $9::text[], $10::text[], $11::bytea[], $12::bytea[], $13::text[], $14::text[], $15::text[], $16::bytea[]
      ) as e (
        id, service, principal, priority, input, estimate_seconds, deadline_seconds, ttl_seconds,
        request_id, traceparent, idempotency_key, fingerprint, delivery_id, url, origin, secret
      )
    ),
    accepted as (
      insert into tasks (id, service, principal, priority, input, estimate_seconds, deadline_at, expires_at,
                         request_id, traceparent, idempotency_key, fingerprint)
      select id, service, principal, priority, input::json, estimate_seconds,
             now() + make_interval(secs => deadline_seconds), now() + make_interval(secs => ttl_seconds),
             request_id, traceparent, idempotency_key, fingerprint
        from entry
          on conflict (idempotency_key) where idempotency_key is not null do nothing
      returning id
    ),
    born as (
      insert into deliveries (id, task_id, url, origin, secret)
      select delivery_id, id, url, origin, secret from entry join accepted using (id) where delivery_id is not null
    )
    select id from accepted`,
};

/** One array a column, in the order of the parameters of `ACCEPT`. */
function columns(tasks: NewTask[]): unknown[][] {
  return [
    tasks.map((t) => t.id),
    tasks.map((t) => t.service),
    tasks.map((t) => t.principal),
    tasks.map((t) => RANK[t.priority]),
    tasks.map((t) => JSON.stringify(t.input)),
    tasks.map((t) => t.estimateSeconds),
    tasks.map((t) => t.deadlineSeconds),
    tasks.map((t) => t.ttlSeconds ?? null),
    tasks.map((t) => t.requestId ?? null),
    tasks.map((t) => t.traceparent ?? null),
    tasks.map((t) => t.idempotency?.key ?? null),
    tasks.map((t) => t.idempotency?.fingerprint ?? null),
    tasks.map((t) => t.webhook?.deliveryId ?? null),
    tasks.map((t) => t.webhook?.url ?? null),
    tasks.map((t) => (t.webhook ? new URL(t.webhook.url).origin : null)),
    tasks.map((t) => t.webhook?.secret ?? null),
  ];
}

interface FirstUse {
  id: string;
  estimate_seconds: number;
  idempotency_key: Buffer;
  fingerprint: Buffer;
}

async function firstUses(db: Db, tasks: NewTask[], written: ReadonlySet<string>): Promise<Map<string, FirstUse>> {
  const keys = tasks.filter((task) => !written.has(task.id)).map((task) => task.idempotency!.key);
  const { rows } = await db.query<FirstUse>(
    'select id, estimate_seconds, idempotency_key, fingerprint from tasks where idempotency_key = any($1::bytea[])',
    [keys],
  );
  return new Map(rows.map((row) => [row.idempotency_key.toString('hex'), row]));
}
