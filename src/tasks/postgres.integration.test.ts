import { setMaxListeners } from 'node:events';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { testDatabase } from '../../test/support/database.ts';
import { type Db, openDb } from '../base/db.ts';
import { isOutcomeUnknown, isUnavailable } from '../base/db-errors.ts';
import { newId } from '../base/ids.ts';
import { createLog } from '../base/log.ts';
import { createPostgresTaskStore } from './postgres.ts';
import type { NewTask, TaskStore } from './store.ts';
import { waitForEnd } from './wait.ts';

it('results are committed synchronously and claims asynchronously', async () => {
  const { db, drop } = await testDatabase();
  /** Whether the statement commits synchronously. */
  const isSynchronous = (run: (store: TaskStore) => Promise<unknown>) =>
    db.transaction(async (tx) => {
      await tx.query('set local synchronous_commit = on');
      await run(createPostgresTaskStore({ ...db, query: tx.query }));
      const { rows } = await tx.query<{ synchronous_commit: string }>('show synchronous_commit');
      return rows[0]?.synchronous_commit === 'on';
    });
  const want = { service: 'a', worker: 'w', limit: 1, leaseMs: 6000 };
  const task = { service: 'a', principal: 'p', priority: 'realtime', input: {}, estimateSeconds: 1 } as const;
  const store = createPostgresTaskStore(db);
  const id = newId();
  await store.accept({ ...task, id });
  expect(await isSynchronous((at) => at.completeAndClaim([], want))).toBe(false);
  const ending = { id, attempt: 1, outcome: 'done', result: {}, processingMs: 1 } as const;
  expect(await isSynchronous((at) => at.completeAndClaim([ending], want))).toBe(true);
  expect((await store.read('a', id))?.status).toBe('done');
  store.close();
  await drop();
});

it('a lone task is acknowledged when it is on disk', async () => {
  const { db: admin, url, drop } = await testDatabase();
  // Set by databases of tests to off.
  await admin.query(`alter database ${new URL(url).pathname.slice(1)} set synchronous_commit = on`);
  const db = openDb({ url, log: createLog('error', 'test') });
  let written = '';
  const observed: Db = {
    ...db,
    async query(sql, params) {
      const result = await db.query(sql, params as unknown[]);
      if (typeof sql !== 'string' && sql.name === 'accept-lone') written = await position('insert');
      return result as never;
    },
  };
  const position = async (of: 'insert' | 'flush') =>
    (await admin.query<{ lsn: string }>(`select pg_current_wal_${of}_lsn() as lsn`)).rows[0]!.lsn;
  const store = createPostgresTaskStore(observed);
  const task = { service: 'a', principal: 'p', priority: 'realtime', input: {}, estimateSeconds: 1 } as const;
  await store.accept({ ...task, id: newId() });
  const flushed = await position('flush');
  const { rows } = await admin.query(`select $1::pg_lsn >= $2::pg_lsn as durable`, [flushed, written]);
  expect(rows).toEqual([{ durable: true }]);
  store.close();
  await db.close();
  await drop();
});

describe('a lone task between its commit and the sync to the disk', () => {
  const task = { service: 'a', principal: 'p', priority: 'realtime', input: {}, estimateSeconds: 1 } as const;

  /** A store whose sync comes after `before`. */
  async function storeWith(before: (db: Db) => Promise<unknown>) {
    const { db, drop } = await testDatabase();
    const store = createPostgresTaskStore({
      ...db,
      async query(sql, params) {
        if (typeof sql !== 'string' && sql.name === 'sync') await before(db);
        return db.query(sql, params as unknown[]) as never;
      },
    });
    onTestFinished(async () => {
      store.close();
      await drop();
    });
    return { db, store };
  }

  it('is accepted again if the database lost it', async () => {
    let isLost = false;
    const { db, store } = await storeWith(async (at) => {
      isLost = (await at.query('delete from tasks')).rowCount === 1;
    });
    const id = newId();
    expect(await store.accept({ ...task, id })).toMatchObject({ outcome: 'accepted', id });
    expect(isLost).toBe(true);
    expect((await db.query('select id from tasks')).rows).toEqual([{ id }]);
  });

  it('has an unknown outcome if the sync fails', async () => {
    const { db, store } = await storeWith(() => Promise.reject(new Error('timeout exceeded when trying to connect')));
    const error = await store.accept({ ...task, id: newId() }).catch((error: unknown) => error);
    expect([isUnavailable(error), isOutcomeUnknown(error)]).toEqual([true, true]);
    expect((await db.query('select id from tasks')).rowCount).toBe(1);
  });
});

it('cancelling a batch holds no lock while it waits for a worker', async () => {
  const { db, drop } = await testDatabase();
  const store = createPostgresTaskStore(db);
  const newTask = () =>
    ({ id: newId(), service: 'a', principal: 'p', priority: 'batch', input: {}, estimateSeconds: 1 }) as const;
  const batch = { ...newTask(), service: 'batches:a' };
  const [first, second] = [newTask(), newTask()];
  await store.batches.accept(batch, [first, second]);
  const isWaiting = async () =>
    (await db.query(`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`))
      .rowCount;
  const lock = 'select from tasks where id = $1 for update';
  let cancelling: Promise<string[]> | undefined;
  // As a worker's statement that claims one task and then completes another.
  await db.transaction(async (tx) => {
    await tx.query(lock, [second.id]);
    cancelling = store.batches.cancel(batch.id);
    await vi.waitFor(async () => expect(await isWaiting()).toBe(1), WAIT);
    await tx.query(lock, [first.id]);
  });
  expect(await cancelling).toEqual([first.id, second.id]);
  store.close();
  await drop();
});

describe('a sweep that fails on a task', () => {
  const limits = { services: ['a'], maxAttempts: 1, batchMaxWaitSeconds: 3600, rows: 100 };
  const start = async () => {
    const { db, drop } = await testDatabase();
    const store = createPostgresTaskStore(db);
    onTestFinished(async () => {
      store.close();
      await drop();
    });
    const accept = async () => {
      const id = newId();
      await store.accept({ id, service: 'a', principal: 'p', priority: 'realtime', input: {}, estimateSeconds: 1 });
      return id;
    };
    const ids = [await accept(), await accept(), await accept()];
    await store.completeAndClaim([], { service: 'a', worker: 'w', limit: 3, leaseMs: 6000 });
    await db.query(`update tasks set leased_until = now() - interval '1 second'`);
    return { db, store, ids };
  };

  it('sweeps the other tasks, reports the failing one and skips it from then on', async () => {
    const { db, store, ids } = await start();
    await db.query(`
      create function reject() returns trigger language plpgsql as $$ begin raise exception 'never'; end $$;
      create trigger reject before update on tasks for each row when (old.id = '${ids[1]}') execute function reject()`);
    const swept = await store.sweep(limits);
    expect(swept).toMatchObject({ failed: { a: 2 }, skipped: [{ id: ids[1] }] });
    expect(await store.sweep(limits)).toMatchObject({ failed: {}, skipped: [] });
    expect((await store.read('a', ids[1]!))?.status).toBe('processing');
  });

  it('throws errors that do not depend on a task and skips no task', async () => {
    const { db, store } = await start();
    await db.query('alter table workers rename to renamed');
    await expect(store.sweep(limits)).rejects.toThrow('workers');
    await db.query('alter table renamed rename to workers');
    expect(await store.sweep(limits)).toMatchObject({ failed: { a: 3 }, skipped: [] });
  });
});

it('all accepts and reads fail as unavailable within seconds when the database hangs', { tags: ['full'] }, async () => {
  const { db, drop } = await testDatabase();
  const store = createPostgresTaskStore(db);
  const began = performance.now();
  await db
    .transaction(async (tx) => {
      await tx.query('lock table tasks in access exclusive mode');
      const task = { service: 'a', principal: 'p', priority: 'realtime', input: {}, estimateSeconds: 1 } as const;
      const accepts = Array.from({ length: 2000 }, () => store.accept({ ...task, id: newId(), deadlineSeconds: 60 }));
      const reads = Array.from({ length: 2000 }, () => store.read('a', newId()));
      for (const outcome of await Promise.allSettled([...accepts, ...reads])) {
        expect(outcome.status === 'rejected' && isUnavailable(outcome.reason)).toBe(true);
      }
    })
    .finally(drop);
  expect(performance.now() - began).toBeLessThan(9000);
});

it('accepting tasks sends one hint per service for lone, batched and keyed tasks', async () => {
  const { db, drop } = await testDatabase();
  const statements: unknown[] = [];
  const recording: Db = {
    ...db,
    query(sql, params) {
      statements.push(typeof sql === 'string' ? sql : sql.name);
      return db.query(sql, params);
    },
  };
  const store = createPostgresTaskStore(recording);
  const listenerEnd = new AbortController();
  const received: string[] = [];
  const listening = db.listen('assay_hints', (hint) => void received.push(hint), listenerEnd.signal);
  const accept = (service: string, idempotency?: NewTask['idempotency']) =>
    store.accept({
      ...{ id: newId(), service, principal: 'p', priority: 'realtime', input: {}, estimateSeconds: 1 },
      ...(idempotency && { idempotency }),
    });
  const key = { key: Buffer.from('key'), fingerprint: Buffer.from('fingerprint') };
  await vi.waitFor(() => expect(received).toEqual(['']), WAIT); // connected
  await accept('alone');
  await vi.waitFor(() => expect(received).toEqual(['', 'waiting:alone']), WAIT);
  expect(statements).toEqual(['accept-lone', 'sync']);
  await Promise.all([accept('together'), accept('together'), accept('beside')]);
  await vi.waitFor(() => expect(received.slice(2).sort()).toEqual(['waiting:beside', 'waiting:together']), WAIT);
  await accept('keyed', key);
  await vi.waitFor(() => expect(received[4]).toBe('waiting:keyed'), WAIT);
  await accept('keyed', key); // replayed: no new task
  await accept('last');
  await vi.waitFor(() => expect(received.slice(5)).toEqual(['waiting:last']), WAIT);
  listenerEnd.abort();
  await listening;
  store.close();
  await drop();
});

it('the commit of a lone result sends its hint, with and without a claim', async () => {
  const { db, drop } = await testDatabase();
  const [store, other] = [createPostgresTaskStore(db), createPostgresTaskStore(db)];
  const listenerEnd = new AbortController();
  const received: string[] = [];
  const listening = db.listen('assay_hints', (hint) => void received.push(hint), listenerEnd.signal);
  const task = { service: 'a', principal: 'p', priority: 'realtime', input: {}, estimateSeconds: 1 } as const;
  await db.transaction((tx) =>
    store.acceptWithin(
      tx,
      [1, 2, 3, 4].map(() => ({ ...task, id: newId() })),
    ),
  );
  const want = { service: 'a', worker: 'w', limit: 4, leaseMs: 60_000 };
  const { claimed } = await store.completeAndClaim([], want);
  const [first, second, ...rest] = claimed.map(
    ({ id, attempt }) => ({ id, attempt, outcome: 'done', result: {}, processingMs: 1 }) as const,
  );
  await vi.waitFor(() => expect(received).toEqual(['']), WAIT); // connected
  expect(await store.completeAndClaim([first!], { ...want, limit: 0 })).toMatchObject({ notified: true });
  expect(await other.completeAndClaim([second!], want)).toMatchObject({ ended: [second!.id], notified: true });
  const hints = [first!, second!].map(({ id }) => `finished ${id}`);
  await vi.waitFor(() => expect(received.slice(1)).toEqual(hints), WAIT);
  expect(await other.completeAndClaim(rest, want)).toMatchObject({ notified: false });
  listenerEnd.abort();
  await listening;
  store.close();
  other.close();
  await drop();
});

it('claims are not planned again while many tasks wait', async () => {
  const { db, drop } = await testDatabase();
  const store = createPostgresTaskStore(db);
  const insert = `insert into tasks (id, service, principal, input, priority, estimate_seconds)
                  select n, 'a', 'p', '{}', n % 2, 1 from generate_series(1, 40000) as n`;
  await db.query(insert);
  await db.query('vacuum analyze tasks');
  for (const limit of [1, 25]) {
    for (let i = 0; i < 20; i++) {
      const want = { service: 'a', worker: 'w', limit, leaseMs: 60_000 };
      const { claimed } = await store.completeAndClaim([], want);
      expect(claimed).toHaveLength(limit);
      const endings = claimed.map(
        ({ id, attempt }) => ({ id, attempt, outcome: 'done', result: {}, processingMs: 1 }) as const,
      );
      await store.completeAndClaim(endings, want);
    }
  }
  const { rows } = await db.query(
    `select name, sum(custom_plans)::int as custom from pg_prepared_statements where name in ('claim', 'advance') group by 1 order by 1`,
  );
  // PostgreSQL compares the costs of the first five plans.
  expect(rows).toEqual([
    { name: 'advance', custom: 5 },
    { name: 'claim', custom: 5 },
  ]);
  store.close();
  await drop();
});

it('a claim reports that more tasks may wait if the store receives no hints', async () => {
  const { url, drop } = await testDatabase();
  const log = createLog('silent', 'test');
  const want = { service: 'a', worker: 'w', limit: 4, leaseMs: 60_000 };
  const claims = [{}, { pooling: 'transaction' }, { pooling: 'transaction', directUrl: url }] as const;
  const moreMayWait = claims.map(async (pooling) => {
    const db = openDb({ url, log, ...pooling });
    const store = createPostgresTaskStore(db);
    const claim = await store.completeAndClaim([], want);
    store.close();
    await db.close();
    return claim.moreMayWait;
  });
  expect(await Promise.all(moreMayWait)).toEqual([false, true, false]);
  await drop();
});

it('a finished task wakes only its own readers', async () => {
  const { db, drop } = await testDatabase();
  const store = createPostgresTaskStore(db);
  const task = { service: 'a', principal: 'p', priority: 'realtime', input: {}, estimateSeconds: 1 } as const;
  const ids = Array.from({ length: READERS }, () => newId());
  await Promise.all(ids.map((id) => store.accept({ ...task, id })));
  let reads = 0;
  const counting: Pick<TaskStore, 'read' | 'onHint'> = {
    onHint: store.onHint,
    read(...of) {
      reads++;
      return store.read(...of);
    },
  };
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  const wait = (id: string) => waitForEnd(counting, 'a', id, { ms: 60_000, signals: [stop.signal] });
  const began = performance.now();
  const waits = ids.map(wait);
  await vi.waitFor(() => expect(reads).toBeGreaterThanOrEqual(2 * READERS), WAIT); // at first and after `listen`
  const want = { service: 'a', worker: 'w', limit: ENDINGS, leaseMs: 60_000 };
  const { claimed } = await store.completeAndClaim([], want);
  for (const { id, attempt } of claimed) {
    const { ended } = await store.completeAndClaim([{ id, attempt, outcome: 'done', result: {}, processingMs: 1 }], {
      ...want,
      limit: 0,
    });
    store.hint('finished', ended);
    expect((await waits[ids.indexOf(id)])?.status).toBe('done');
  }
  // All readers read at first, when `listen` starts, and once a second.
  const polls = 3 + (performance.now() - began) / 1000;
  expect(reads).toBeLessThan(READERS * polls + ENDINGS);
  stop.abort();
  await Promise.all(waits);
  store.close();
  await drop();
});

const READERS = 1000;
const ENDINGS = 20;

const WAIT = { timeout: 20_000 };
