import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Db, openDb } from '../../src/base/db.ts';
import { newId } from '../../src/base/ids.ts';
import { createLog } from '../../src/base/log.ts';
import { createIndexer } from '../../src/services/catalog/records/feed.ts';
import { createEventStore, type EventPage } from '../../src/tasks/events.ts';
import { createPostgresTaskStore } from '../../src/tasks/postgres.ts';
import type { Claim, TaskStore } from '../../src/tasks/store.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { waitUntil } from '../support/processes/until.ts';

const PASSED_TASKS = 200_000;
/** Every passed task has left one entry in each queue index. */
const MAX_ENTRIES = 200;

const log = createLog('silent', 'test');
const sweepLimits = { services: ['a'], maxAttempts: 3, batchMaxWaitSeconds: 3600, rows: 1000 };
const claimRequest = { service: 'a', worker: 'w', limit: 4, leaseMs: 6000 };

describe(`The queue after ${PASSED_TASKS} tasks since the oldest open snapshot`, () => {
  let database: TestDatabase;
  /** One connection, so that its statistics can be flushed after each statement. */
  let db: Db;
  let store: TaskStore & { close(): void };
  let closeSnapshot = () => {};
  let snapshot: Promise<void>;

  beforeAll(async () => {
    database = await testDatabase();
    db = openDb({ url: database.url, log, max: 1 });
    store = createPostgresTaskStore(db);
    const opened = new Promise<void>((resolve, reject) => {
      snapshot = openSnapshot(database.db, resolve).catch(reject);
    });
    await opened;
    await createPassedTasks(database.db, PASSED_TASKS);
  }, 300_000);

  afterAll(async () => {
    closeSnapshot();
    await snapshot;
    store.close();
    await db.close();
    await database.drop();
  });

  const openSnapshot = (on: Db, opened: () => void) =>
    on.transaction(async (tx) => {
      await tx.query('set transaction isolation level repeatable read');
      await tx.query('set local idle_in_transaction_session_timeout = 0');
      await tx.query('select from tasks');
      opened();
      await new Promise<void>((resolve) => {
        closeSnapshot = resolve;
      });
    });

  const accept = async (count: number) => {
    const ids = Array.from({ length: count }, newId);
    const task = { service: 'a', principal: 'p', priority: 'realtime', input: {}, estimateSeconds: 1 } as const;
    await Promise.all(ids.map((id) => store.accept({ ...task, id, deadlineSeconds: 3600, ttlSeconds: 7200 })));
    return ids;
  };
  const ended = (claims: readonly Claim[]) =>
    claims.map(({ id, attempt }) => ({ id, attempt, outcome: 'done' as const, result: {}, processingMs: 1 }));

  /** The number of index entries that `run` reads, including dead rows. */
  const entriesRead = async (run: () => Promise<unknown>) => {
    const total = async () => {
      await db.query('select pg_stat_force_next_flush()');
      const { rows } = await database.db.query<{ read: number }>(
        `select sum(idx_tup_read) as read from pg_stat_user_indexes where relname in ('tasks', 'catalog_feed', 'unnumbered_task_events')`,
      );
      return rows[0]!.read;
    };
    const before = await total();
    await run();
    return (await total()) - before;
  };

  it('is claimed from, renewed, completed, swept and counted without reading the passed tasks', {
    timeout: 120_000,
  }, async () => {
    // Only the first call reads all entries; it is repeated after a hundred times its duration.
    const searched = await entriesRead(() => store.queueDepth('a'));
    expect(searched).toBeGreaterThanOrEqual(PASSED_TASKS);
    await store.sweep(sweepLimits);

    await accept(12);
    let claims: Claim[] = [];
    const claim = async (endings: readonly Claim[] = []) => {
      ({ claimed: claims } = await store.completeAndClaim(ended(endings), claimRequest));
      expect(claims).toHaveLength(4);
    };
    const renew = () =>
      store.renew(
        'w',
        claims.map(({ id, attempt }) => ({ id, attempt, leaseMs: 6000 })),
      );
    const read = {
      claim: await entriesRead(() => claim()),
      renew: await entriesRead(renew),
      'end and claim': await entriesRead(() => claim(claims)),
      sweep: await entriesRead(() => store.sweep(sweepLimits)),
      depth: await entriesRead(() => store.queueDepth('a')),
    };
    console.log('Index entries read:', read);
    for (const [what, count] of Object.entries(read)) expect(count, what).toBeLessThan(MAX_ENTRIES);
  });

  it('provides tasks that became visible late and tasks whose lease expired', {
    timeout: 300_000,
  }, async () => {
    const [late, lost] = await accept(2);
    await db.query(`update tasks set run_at = now() - interval '1 hour' where id = $1`, [late]);
    await db.query(
      `update tasks set worker = 'dead', attempts = 1, leased_until = now() - interval '1 hour' where id = $1`,
      [lost],
    );
    const claimed = new Set<string>();
    await waitUntil(async () => {
      await store.sweep(sweepLimits);
      const { claimed: claims } = await store.completeAndClaim([], claimRequest);
      for (const { id } of claims) claimed.add(id);
      return claimed.has(late!) && claimed.has(lost!);
    }, 290_000);
  });

  it('provides events without reading the passed ones', { timeout: 120_000 }, async () => {
    const events = createEventStore(db);
    const add = (count: number) =>
      db.query(
        `insert into unnumbered_task_events (service, principal, task_id, kind, expires_at)
         select 'a', 'p', n::text, 'terminal', now() + interval '1 hour' from generate_series(1, $1::int) n`,
        [count],
      );
    await add(PASSED_TASKS);
    while (await events.numberNew());
    await add(3);
    // For ten seconds recent entries are read again because of late commits.
    await waitUntil(async () => (await entriesRead(() => events.numberNew())) < MAX_ENTRIES, 60_000);
    const { position } = (await events.read({ service: 'a', principal: 'p' }, 'latest', 1)) as EventPage;
    await add(1);
    await events.numberNew();
    expect(await events.read({ service: 'a', principal: 'p' }, position, 1)).toMatchObject({
      events: [{ taskId: '1' }],
    });
  });

  it('feeds the catalog index without reading the passed entries', { timeout: 120_000 }, async () => {
    // The records have their own connections: `db`, which is measured, has one.
    const feed = { db, servicesElsewhere: [] };
    const indexer = createIndexer({ db: database.db, feed, sources: [], log });
    const add = (count: number) =>
      db.query(`insert into catalog_feed (service, task_id) select 'a', n::text from generate_series(1, $1::int) n`, [
        count,
      ]);
    await add(PASSED_TASKS);
    await database.db.query('delete from catalog_feed');
    expect(await entriesRead(() => indexer.indexBatch())).toBeGreaterThanOrEqual(PASSED_TASKS);
    await add(3);
    // For ten seconds the indexer rereads recent entries because of late commits.
    await waitUntil(async () => (await entriesRead(() => indexer.indexBatch())) < MAX_ENTRIES, 60_000);
  });
});

/** Creates completed tasks, 30 to 60 minutes old; the snapshot prevents their vacuum. */
async function createPassedTasks(db: Db, count: number): Promise<void> {
  const run = (sql: string, params: unknown[] = []) =>
    db.transaction((tx) => tx.query(sql, params), { statementTimeoutMs: 240_000 });
  await run(
    `insert into tasks (id, service, principal, input, estimate_seconds, queued_at, run_at, deadline_at, expires_at)
     select 'passed-' || n, 'a', 'p', '{}', 1, at, at, at + interval '20 minutes', now() + interval '1 day'
       from generate_series(1, $1::int) n, lateral (select now() - interval '1 hour' + n * interval '3 ms') as t (at)`,
    [count],
  );
  await run(
    `update tasks set status = 'processing', worker = 'w', attempts = 1, started_at = run_at,
                      leased_until = run_at + interval '6 seconds'`,
  );
  await run(
    `update tasks set status = 'done', worker = null, leased_until = null, result = '{}', finished_at = now(),
                      processing_ms = 1`,
  );
  await db.query('vacuum analyze tasks');
}
