import { expect, it, vi } from 'vitest';
import { type Db, isUnavailable } from '../base/db.ts';
import { newId } from '../base/ids.ts';
import { testDatabase } from '../base/testing/database.ts';
import { postgresTaskStore } from './postgres.ts';
import { describeTaskStore } from './store.contract.ts';
import type { NewTask, TaskStore } from './store.ts';

describeTaskStore('the task store in PostgreSQL', async () => {
  const { db, drop } = await testDatabase();
  const store = postgresTaskStore(db);
  return {
    store,
    transaction: (run) => db.transaction(run),
    empty: async () => void (await db.query('truncate tasks, workers cascade')),
    async age(id, seconds) {
      const columns = ['queued_at', 'run_at', 'deadline_at', 'expires_at', 'leased_until', 'started_at', 'finished_at'];
      const back = (names: string[]) => names.map((name) => `${name} = ${name} - make_interval(secs => $2)`).join(', ');
      await db.query(`update tasks set ${back(columns)} where id = $1`, [id, seconds]);
      await db.query(`update deliveries set ${back(['due_at', 'leased_until'])} where task_id = $1`, [id, seconds]);
    },
    async seen(worker, secondsAgo) {
      await db.query(
        `insert into workers (id, role, state, info, seen_at) values ($1, 'work', 'warm', '{}', now() - make_interval(secs => $2))
             on conflict (id) do update set seen_at = excluded.seen_at`,
        [worker, secondsAgo],
      );
    },
    async close() {
      store.close();
      await drop();
    },
  };
});

it('waits for the disk with what has ended, and not with what is only claimed', async () => {
  const { db, drop } = await testDatabase();
  /** Whether a store that was asked so would wait. */
  const waits = (ask: (store: TaskStore) => Promise<unknown>) =>
    db.transaction(async (tx) => {
      await tx.query('set local synchronous_commit = on');
      await ask(postgresTaskStore({ ...db, query: tx.query }));
      const { rows } = await tx.query<{ synchronous_commit: string }>('show synchronous_commit');
      return rows[0]?.synchronous_commit === 'on';
    });
  const want = { service: 'a', worker: 'w', limit: 1, leaseMs: 6000 };
  const task = { service: 'a', principal: 'p', priority: 'realtime', input: {}, estimateSeconds: 1 } as const;
  const store = postgresTaskStore(db);
  const id = newId();
  await store.accept({ ...task, id });
  expect(await waits((at) => at.advance([], want))).toBe(false);
  const ending = { id, attempt: 1, outcome: 'done', result: {}, processingMs: 1 } as const;
  expect(await waits((at) => at.advance([ending], want))).toBe(true);
  expect((await store.read('a', id))?.status).toBe('done');
  store.close();
  await drop();
});

it('tells clients of a database that hangs in seconds that it is unavailable, also those that wait their turn', async () => {
  const { db, drop } = await testDatabase();
  const store = postgresTaskStore(db);
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

it('sends one word for what it wrote, whether a task came alone, in company, or with a key', async () => {
  const { db, drop } = await testDatabase();
  const asked: unknown[] = [];
  const telling: Db = {
    ...db,
    query(sql, params) {
      asked.push(typeof sql === 'string' ? sql : sql.name);
      return db.query(sql, params);
    },
  };
  const store = postgresTaskStore(telling);
  const over = new AbortController();
  const heard: string[] = [];
  const listening = db.listen('assay_hints', (hint) => void heard.push(hint), over.signal);
  const accept = (service: string, idempotency?: NewTask['idempotency']) =>
    store.accept({
      ...{ id: newId(), service, principal: 'p', priority: 'realtime', input: {}, estimateSeconds: 1 },
      ...(idempotency && { idempotency }),
    });
  const key = { key: Buffer.from('key'), fingerprint: Buffer.from('fingerprint') };
  await vi.waitFor(() => expect(heard).toEqual(['']), PATIENCE); // it listens
  await accept('alone');
  await vi.waitFor(() => expect(heard).toEqual(['', 'waiting:alone']), PATIENCE);
  expect(asked).toEqual(['accept-lone']);
  await Promise.all([accept('together'), accept('together'), accept('beside')]);
  await vi.waitFor(() => expect(heard.slice(2).sort()).toEqual(['waiting:beside', 'waiting:together']), PATIENCE);
  await accept('keyed', key);
  await vi.waitFor(() => expect(heard[4]).toBe('waiting:keyed'), PATIENCE);
  await accept('keyed', key); // replayed: nothing is new
  await accept('last');
  await vi.waitFor(() => expect(heard.slice(5)).toEqual(['waiting:last']), PATIENCE);
  over.abort();
  await listening;
  store.close();
  await drop();
});

const PATIENCE = { timeout: 20_000 };
