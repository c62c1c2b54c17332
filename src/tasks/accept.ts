import { batched } from '../base/batch.ts';
import { CLIENT_LIMIT_MS, type Db, type Queryable, type Statement } from '../base/db.ts';
import { CHANNEL } from './hints.ts';
import type { Accepted, CompanionTask, Hint, NewTask, TaskStore } from './store.ts';
import type { Priority } from './task.ts';

/** Lower is claimed first. */
export const RANK: Record<Priority, number> = { realtime: 0, batch: 1 };

/** What comes so long after the one before it comes alone. */
const LONE_MS = 100;

/**
 * Accepts that arrive together are written by one statement and answered after its commit; then who waits for such work
 * is woken by `hint`. A task that comes alone carries that word in its own commit: it is there half a millisecond sooner,
 * and the lock on which commits that notify queue up is free when so little happens.
 */
export function acceptTo(db: Db, hint: (what: Hint) => void): (task: NewTask) => Promise<Accepted> {
  let lastAt = Number.NEGATIVE_INFINITY;
  return batched(async (tasks) => {
    const lone = tasks.length === 1 && isPlain(tasks[0]!) && performance.now() - lastAt > LONE_MS;
    lastAt = performance.now();
    const outcomes = await acceptAll(db, tasks, lone ? ACCEPT_LONE : ACCEPT_PLAIN);
    if (lone) return outcomes;
    const woken = new Set(tasks.filter((_, i) => outcomes[i]!.outcome === 'accepted').map(({ service }) => service));
    for (const service of woken) hint(`waiting:${service}`);
    return outcomes;
  });
}

/** Looks keys up without writing anything; those of one turn of the event loop by one statement. */
export function firstUseFrom(db: Db): TaskStore['firstUse'] {
  return batched(async (asked) => {
    const first = await firstUses(
      db,
      asked.map(({ key }) => key),
    );
    return asked.map(({ key, fingerprint }) => {
      const earlier = first.get(key.toString('hex'));
      return earlier && again(earlier, fingerprint);
    });
  });
}

/** Most tasks have neither a key nor a webhook. */
const isPlain = (task: NewTask) => !(task.idempotency ?? task.webhook);

/** The same statement in somebody else's transaction; no waiting for others, and no second try: that is for him to decide. */
export async function acceptWithin(tx: Queryable, tasks: readonly CompanionTask[]): Promise<string[]> {
  await tx.query(ACCEPT_PLAIN, plainColumns(tasks));
  const copies = tasks.filter(({ resultOf }) => resultOf !== undefined);
  if (copies.length === 0) return [];
  const { rows } = await tx.query<{ id: string }>(COPY, [copies.map((t) => t.id), copies.map((t) => t.resultOf)]);
  return rows.map(({ id }) => id);
}

const COPY = {
  name: 'copy-results',
  limitMs: CLIENT_LIMIT_MS,
  text: `
    update tasks t
       set status        = 'done',
           started_at    = now(),
           finished_at   = now(),
           processing_ms = 0,
           result        = source.result,
           attachment    = source.attachment
      from unnest($1::text[], $2::text[]) as copy (id, source_id)
      join tasks source on source.id = copy.source_id
     where t.id = copy.id and source.service = t.service and source.status = 'done'
    returning t.id`,
};

async function acceptAll(db: Db, tasks: NewTask[], plain: Statement): Promise<Accepted[]> {
  const outcomes = new Map<string, Accepted>();
  for (let left = tasks; left.length > 0; left = tasks.filter(({ id }) => !outcomes.has(id))) {
    // A key whose first task has gone is free. Rows do not go as fast as this asks, so one more turn settles it.
    if (left !== tasks) await db.query(FORGET, [keysOf(left)]);
    for (const [id, outcome] of await write(db, left, plain)) outcomes.set(id, outcome);
  }
  return tasks.map(({ id }) => outcomes.get(id)!);
}

/** What came of each task; none for a key that was taken a moment ago by a task that cannot be read any more. */
async function write(db: Db, tasks: NewTask[], plain: Statement): Promise<Map<string, Accepted>> {
  const insert = () => insertAll(db, tasks, plain);
  const written = await insert().catch((error) => {
    // Nothing was written. Once more, since it was a collision with others, not a fault.
    if (!COLLIDED.has((error as { code?: string }).code ?? '')) throw error;
    return insert();
  });
  const outcomes = new Map<string, Accepted>();
  for (const { id, estimateSeconds } of tasks) {
    if (written.has(id)) outcomes.set(id, { outcome: 'accepted', id, estimateSeconds });
  }
  if (written.size === tasks.length) return outcomes;
  const used = tasks.filter(({ id }) => !written.has(id));
  const first = await firstUses(db, keysOf(used));
  for (const { id, idempotency } of used) {
    const earlier = first.get(idempotency!.key.toString('hex'));
    if (earlier) outcomes.set(id, again(earlier, idempotency!.fingerprint));
  }
  return outcomes;
}

/** The ids of those that were written: all, but for keys that were used before. */
async function insertAll(db: Db, tasks: NewTask[], plain: Statement): Promise<Set<string>> {
  if (!tasks.every(isPlain)) {
    const { rows } = await db.query<{ id: string }>(ACCEPT, [...plainColumns(tasks), ...rareColumns(tasks)]);
    return new Set(rows.map((row) => row.id));
  }
  await db.query(plain, plainColumns(tasks));
  return new Set(tasks.map((task) => task.id));
}

const again = (first: FirstUse, fingerprint: Buffer): Accepted =>
  first.fingerprint.equals(fingerprint)
    ? { outcome: 'replayed', id: first.id, estimateSeconds: first.estimate_seconds }
    : { outcome: 'conflict' };

/** Deadlock and serialisation failure. */
const COLLIDED = new Set(['40P01', '40001']);

const INSERT_PLAIN = `
    insert into tasks (id, service, principal, priority, input, estimate_seconds, deadline_at, expires_at,
                       request_id, traceparent)
    select id, service, principal, priority, input::json, estimate_seconds,
           now() + make_interval(secs => deadline_seconds), now() + make_interval(secs => ttl_seconds),
           request_id, traceparent
      from unnest(
             $1::text[], $2::text[], $3::text[], $4::smallint[], $5::text[], $6::int[], $7::float8[], $8::float8[],
             $9::text[], $10::text[]
           ) as entry (
             id, service, principal, priority, input, estimate_seconds, deadline_seconds, ttl_seconds, request_id, traceparent
           )`;

/** Costs a fifth less than the statement for all. */
const ACCEPT_PLAIN = { name: 'accept-plain', limitMs: CLIENT_LIMIT_MS, text: INSERT_PLAIN };

const ACCEPT_LONE = {
  name: 'accept-lone',
  limitMs: CLIENT_LIMIT_MS,
  text: `
    with accepted as (${INSERT_PLAIN} returning service)
    select pg_notify('${CHANNEL}', 'waiting:' || service) from accepted`,
};

const ACCEPT = {
  name: 'accept',
  limitMs: CLIENT_LIMIT_MS,
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
       order by idempotency_key -- two batches that share keys wait for each other in one order, so never in a circle
          on conflict (idempotency_key) where idempotency_key is not null do nothing
      returning id
    ),
    born as (
      insert into deliveries (id, task_id, principal, url, origin, secret)
      select delivery_id, id, principal, url, origin, secret
        from entry join accepted using (id)
       where delivery_id is not null
    )
    select id from accepted`,
};

/** One array a column, in the order of the parameters of `ACCEPT_PLAIN`, with which those of `ACCEPT` begin. */
function plainColumns(tasks: readonly (NewTask | CompanionTask)[]): unknown[][] {
  return [
    tasks.map((t) => t.id),
    tasks.map((t) => t.service),
    tasks.map((t) => t.principal),
    tasks.map((t) => RANK[t.priority]),
    tasks.map((t) => JSON.stringify(t.input)),
    tasks.map((t) => t.estimateSeconds),
    tasks.map((t) => t.deadlineSeconds ?? null),
    tasks.map((t) => t.ttlSeconds ?? null),
    tasks.map((t) => t.requestId ?? null),
    tasks.map((t) => t.traceparent ?? null),
  ];
}

function rareColumns(tasks: readonly NewTask[]): unknown[][] {
  return [
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

async function firstUses(db: Db, keys: readonly Buffer[]): Promise<Map<string, FirstUse>> {
  const { rows } = await db.query<FirstUse>(FIRST_USES, [keys]);
  return new Map(rows.map((row) => [row.idempotency_key.toString('hex'), row]));
}

const keysOf = (tasks: NewTask[]) => tasks.map((task) => task.idempotency!.key);

const FIRST_USES = {
  name: 'first-uses',
  limitMs: CLIENT_LIMIT_MS,
  text: `
    select id, estimate_seconds, idempotency_key, fingerprint
      from tasks
     where idempotency_key = any($1::bytea[]) and (expires_at is null or expires_at > now())`,
};

// Expired and not yet deleted by the sweep, which also separates a pending delivery from the task.
const FORGET = {
  name: 'forget-expired-keys',
  limitMs: CLIENT_LIMIT_MS,
  text: `
    update tasks
       set idempotency_key = null, fingerprint = null
     where id in (select id
                    from tasks
                   where idempotency_key = any($1::bytea[]) and expires_at <= now()
                   order by id
                     for update)`,
};
