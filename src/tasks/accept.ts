import { batched } from '../base/batch.ts';
import { CLIENT_LIMIT_MS, type Db, type Queryable, type Statement } from '../base/db.ts';
import { afterCommit, isCollision } from '../base/db-errors.ts';
import { type FairTags, taggedClients, takenClients } from './fair-tags.ts';
import { HINT_CHANNEL } from './hints.ts';
import { createLoneCheck } from './lone.ts';
import type { AcceptResult, Hint, NewTask, TransactionalTask } from './store.ts';
import { PRIORITY_VALUE } from './task.ts';
import { afterEndSql, ENDED_COLUMNS, IS_READABLE } from './task-rows.ts';

/**
 * Batches concurrent accepts into one statement and resolves them when its commit is on disk. Then `hint` wakes workers; a lone task
 * notifies within its own commit instead, so a worker starts while the disk is syncing. If the database lost that commit by restarting
 * before the sync, the task is accepted again.
 */
export function createAccept(
  db: Db,
  tags: FairTags,
  hint: (what: Hint) => void,
): (task: NewTask) => Promise<AcceptResult> {
  const isLone = createLoneCheck();
  return batched(async (tasks) => {
    if (isLone(tasks.length) && isPlain(tasks[0]!)) {
      const outcomes = await acceptAll(db, tags, tasks, ACCEPT_LONE);
      const { rowCount } = await afterCommit(db.query(SYNC, [tasks[0]!.id]));
      if (rowCount > 0) return outcomes;
    }
    const outcomes = await acceptAll(db, tags, tasks, ACCEPT_PLAIN);
    const services = new Set(tasks.filter((_, i) => outcomes[i]!.outcome === 'accepted').map(({ service }) => service));
    for (const service of services) hint(`waiting:${service}`);
    return outcomes;
  });
}

type IdempotencyKey = NonNullable<NewTask['idempotency']>;

/** Looks up idempotency keys; lookups of one event loop iteration share a statement. */
export function createIdempotencyLookup(db: Db): (key: IdempotencyKey) => Promise<AcceptResult | undefined> {
  return batched(async (lookups: IdempotencyKey[]) => {
    const first = await firstUses(
      db,
      lookups.map(({ key }) => key),
    );
    return lookups.map(({ key, fingerprint }) => {
      const earlier = first.get(key.toString('hex'));
      return earlier && repeated(earlier, fingerprint);
    });
  });
}

const isPlain = (task: NewTask) => !(task.idempotency ?? task.webhook);

/** Runs in the caller's transaction, without batching and without a retry. */
export async function acceptWithin(
  tx: Queryable,
  tags: FairTags,
  tasks: readonly TransactionalTask[],
): Promise<string[]> {
  await tx.query(ACCEPT_PLAIN, plainColumns(tags, tasks));
  const copies = tasks.filter(({ resultOf }) => resultOf !== undefined);
  if (copies.length === 0) return [];
  const { rows } = await tx.query<{ id: string }>(COPY, [copies.map((t) => t.id), copies.map((t) => t.resultOf)]);
  return rows.map(({ id }) => id);
}

const COPY = {
  name: 'copy-results',
  limitMs: CLIENT_LIMIT_MS,
  text: `
    with copied as (
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
      returning ${ENDED_COLUMNS}
    ),${afterEndSql('copied')}
    select id from copied`,
};

async function acceptAll(db: Db, tags: FairTags, tasks: NewTask[], plain: Statement): Promise<AcceptResult[]> {
  const outcomes = new Map<string, AcceptResult>();
  for (let left = tasks; left.length > 0; left = tasks.filter(({ id }) => !outcomes.has(id))) {
    if (left !== tasks) await releaseExpiredKeys(db, left);
    for (const [id, outcome] of await write(db, tags, left, plain)) outcomes.set(id, outcome);
  }
  return tasks.map(({ id }) => outcomes.get(id)!);
}

/** The outcome per task id. Omits tasks whose key belongs to an expired task that is not yet deleted. */
async function write(db: Db, tags: FairTags, tasks: NewTask[], plain: Statement): Promise<Map<string, AcceptResult>> {
  const insert = () => insertTasks(db, tags, tasks, plain);
  const written = await insert().catch((error) => {
    if (!isCollision(error)) throw error;
    return insert();
  });
  const outcomes = new Map<string, AcceptResult>();
  for (const { id, estimateSeconds } of tasks) {
    if (written.has(id)) outcomes.set(id, { outcome: 'accepted', id, estimateSeconds });
  }
  if (written.size === tasks.length) return outcomes;
  const used = tasks.filter(({ id }) => !written.has(id));
  const first = await firstUses(db, keysOf(used));
  for (const { id, idempotency } of used) {
    const earlier = first.get(idempotency!.key.toString('hex'));
    if (earlier) outcomes.set(id, repeated(earlier, idempotency!.fingerprint));
  }
  return outcomes;
}

/** Returns the ids of the inserted tasks: all except those with a key in use. */
export async function insertTasks(
  db: Queryable,
  tags: FairTags,
  tasks: readonly NewTask[],
  plain: Statement = ACCEPT_PLAIN,
  full: Statement = ACCEPT,
): Promise<Set<string>> {
  if (!tasks.every(isPlain)) {
    const { rows } = await db.query<{ id: string }>(full, [...plainColumns(tags, tasks), ...optionalColumns(tasks)]);
    return new Set(rows.map((row) => row.id));
  }
  await db.query(plain, plainColumns(tags, tasks));
  return new Set(tasks.map((task) => task.id));
}

/** Like `insertTasks`, with tags of `takeTags`. */
export const insertTagged = (db: Queryable, taken: FairTags, tasks: readonly NewTask[]): Promise<Set<string>> =>
  insertTasks(db, taken, tasks, ACCEPT_PLAIN_TAGGED, ACCEPT_TAGGED);

const repeated = (first: FirstUse, fingerprint: Buffer): AcceptResult =>
  first.fingerprint.equals(fingerprint)
    ? { outcome: 'replayed', id: first.id, estimateSeconds: first.estimate_seconds }
    : { outcome: 'conflict' };

/** SQL: the start tag of `entry`, a task of `client`. */
const START_TAG = "client.start + tag_offset * interval '1 microsecond'";

const INSERT_PLAIN = `
    insert into tasks (id, service, principal, priority, input, estimate_seconds, deadline_at, expires_at,
                       request_id, traceparent, owner, run_at)
    select id, service, principal, priority, input::json, estimate_seconds,
           now() + make_interval(secs => deadline_seconds), now() + make_interval(secs => ttl_seconds),
           request_id, traceparent, entry.owner, ${START_TAG}
      from (select *
              from unnest(
                     $1::text[], $2::text[], $3::text[], $4::smallint[], $5::text[], $6::int[], $7::float8[], $8::float8[],
                     $9::text[], $10::text[], $16::text[], $17::float8[]
                   ) as e (
                     id, service, principal, priority, input, estimate_seconds, deadline_seconds, ttl_seconds,
                     request_id, traceparent, owner, tag_offset
                   )
             limit cardinality($1::text[])) as entry
      join client using (service, priority)
     where client.owner = coalesce(entry.owner, principal)
     order by id`;

/** For tasks without a key or a webhook: 20 % cheaper than `ACCEPT`. */
const ACCEPT_PLAIN = {
  name: 'accept-plain',
  limitMs: CLIENT_LIMIT_MS,
  text: `with ${taggedClients(11)}${INSERT_PLAIN}`,
};

const ACCEPT_PLAIN_TAGGED = {
  name: 'accept-plain-tagged',
  limitMs: CLIENT_LIMIT_MS,
  text: `with ${takenClients(11)}${INSERT_PLAIN}`,
};

const ACCEPT_LONE = {
  name: 'accept-lone',
  limitMs: CLIENT_LIMIT_MS,
  text: `
    with ${taggedClients(11)},
    accepted as (${INSERT_PLAIN} returning service)
    select set_config('synchronous_commit', 'off', true), pg_notify('${HINT_CHANNEL}', 'waiting:' || service)
      from accepted`,
};

/**
 * Waits until a visible task is on disk, whichever connection and server wrote it: its commit precedes the commit of this message in the
 * write-ahead log. No row: the task is not stored.
 */
const SYNC = {
  name: 'sync',
  limitMs: CLIENT_LIMIT_MS,
  text: `select pg_logical_emit_message(true, 'assay', '') from tasks where id = $1`,
};

const acceptSql = (client: string) => `
    with entry as materialized (
      select * from unnest(
        $1::text[], $2::text[], $3::text[], $4::smallint[], $5::text[], $6::int[], $7::float8[], $8::float8[],
        $9::text[], $10::text[], $16::text[], $17::float8[], $18::bytea[], $19::bytea[], $20::text[], $21::text[],
        $22::text[], $23::bytea[]
      ) as e (
        id, service, principal, priority, input, estimate_seconds, deadline_seconds, ttl_seconds,
        request_id, traceparent, owner, tag_offset, idempotency_key, fingerprint, delivery_id, url, origin, secret
      )
      limit cardinality($1::text[])
    ),${client},
    accepted as (
      insert into tasks (id, service, principal, priority, input, estimate_seconds, deadline_at, expires_at,
                         request_id, traceparent, owner, run_at, idempotency_key, fingerprint)
      select id, service, principal, priority, input::json, estimate_seconds,
             now() + make_interval(secs => deadline_seconds), now() + make_interval(secs => ttl_seconds),
             request_id, traceparent, entry.owner, ${START_TAG}, idempotency_key, fingerprint
        from entry
        join client using (service, priority)
       where client.owner = coalesce(entry.owner, principal)
       order by idempotency_key -- one lock order, so that batches that share keys cannot deadlock
          on conflict (idempotency_key) where idempotency_key is not null do nothing
      returning id
    ),
    hooked as (
      insert into deliveries (id, task_id, principal, url, origin, secret)
      select delivery_id, id, principal, url, origin, secret
        from entry join accepted using (id)
       where delivery_id is not null
    )
    select id from accepted`;

const ACCEPT = { name: 'accept', limitMs: CLIENT_LIMIT_MS, text: acceptSql(taggedClients(11)) };
const ACCEPT_TAGGED = { name: 'accept-tagged', limitMs: CLIENT_LIMIT_MS, text: acceptSql(takenClients(11)) };

/** One array per column: the parameters of `ACCEPT_PLAIN` and the first ones of `ACCEPT`. */
function plainColumns(tags: FairTags, tasks: readonly (NewTask | TransactionalTask)[]): unknown[][] {
  return [
    tasks.map((t) => t.id),
    tasks.map((t) => t.service),
    tasks.map((t) => t.principal),
    tasks.map((t) => PRIORITY_VALUE[t.priority]),
    tasks.map((t) => JSON.stringify(t.input)),
    tasks.map((t) => t.estimateSeconds),
    tasks.map((t) => t.deadlineSeconds ?? null),
    tasks.map((t) => t.ttlSeconds ?? null),
    tasks.map((t) => t.requestId ?? null),
    tasks.map((t) => t.traceparent ?? null),
    ...tags(tasks),
  ];
}

function optionalColumns(tasks: readonly NewTask[]): unknown[][] {
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

/** Keys of expired tasks can be used again. */
export const releaseExpiredKeys = (db: Queryable, tasks: readonly NewTask[]) =>
  db.query(RELEASE_EXPIRED_KEYS, [keysOf(tasks)]);

const keysOf = (tasks: readonly NewTask[]) => tasks.map((task) => task.idempotency!.key);

const FIRST_USES = {
  name: 'first-uses',
  limitMs: CLIENT_LIMIT_MS,
  text: `
    select t.id, t.estimate_seconds, t.idempotency_key, t.fingerprint
      from tasks t
     where t.idempotency_key = any($1::bytea[]) and ${IS_READABLE}`,
};

// The sweep deletes the tasks; it also detaches their pending deliveries.
const RELEASE_EXPIRED_KEYS = {
  name: 'release-expired-keys',
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
