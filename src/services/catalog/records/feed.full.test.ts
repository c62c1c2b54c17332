import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { finishTasks } from '../../../../test/support/catalog-tasks.ts';
import { type TestDatabase, testDatabase } from '../../../../test/support/database.ts';
import { type Db, openDb } from '../../../base/db.ts';
import { createLog } from '../../../base/log.ts';
import { createEventStore } from '../../../tasks/events.ts';
import { createPostgresTaskStore } from '../../../tasks/postgres.ts';
import { FAILURES } from '../../../tasks/task.ts';
import type { EndedTask, RecordDraft, RecordSource } from '../../shared/records.ts';
import { createIndexer, type Feed } from './feed.ts';
import { createFeedLag } from './feed-lag.ts';
import { requestRebuild, runRebuildStep } from './rebuild.ts';
import { setSources } from './sources.ts';
import { deleteRecords } from './write.ts';

let database: TestDatabase;
let tasks: ReturnType<typeof createPostgresTaskStore>;
const log = createLog('silent', 'test');

beforeEach(async () => {
  database = await testDatabase();
  tasks = createPostgresTaskStore(database.db);
  await setSources(database.db, ['photos']);
});
afterEach(async () => {
  tasks.close();
  await database.drop();
});

const draft = (task: EndedTask, over: Partial<RecordDraft> = {}): RecordDraft => ({
  taskId: task.id,
  status: task.status,
  createdAt: task.queuedAt,
  title: 'Стена-17.jpg',
  text: 'трещина, crack',
  surface: 'wall',
  master: { name: 'cracking', conf: 0.9 },
  defects: [
    { name: 'crack', conf: 0.9 },
    { name: 'chip', conf: 0.4 },
  ],
  result: task.status === 'done' ? { said: JSON.parse(task.resultText) } : { error: task.failure.message },
  ...over,
});

const source = (drafts: RecordSource['drafts'], service = 'photos'): RecordSource => ({
  service,
  title: service,
  drafts,
});
const plain = source(async (_db, ended) => ended.map((task) => draft(task)));
const indexer = (...sources: RecordSource[]) => createIndexer({ db: database.db, sources, log });

/** Runs until the feed is empty; returns the number of written records. */
async function indexAll(...sources: RecordSource[]): Promise<number> {
  let count = 0;
  for (let more = true; more; ) {
    const batch = await indexer(...sources).indexBatch();
    for (const each of batch.indexed.values()) count += each;
    ({ more } = batch);
  }
  return count;
}

const records = async () =>
  (
    await database.db.query<Record<string, unknown>>(
      `select * from catalog_records join catalog_texts using (number) join catalog_details using (number) order by number`,
    )
  ).rows;
const taskIds = async () => (await records()).map((row) => row['task_id']);
const waiting = async () => (await database.db.query('select from catalog_feed')).rowCount;

describe('finished tasks', () => {
  it('are indexed in smaller batches when a batch exceeds the limit of a statement', async () => {
    await finishTasks(tasks, 'photos', [{ result: 1 }, { result: 2 }, { result: 3 }, { result: 4 }]);
    await database.db.query(`
      create function wait_for_record() returns trigger language plpgsql as $$
        begin perform pg_sleep(0.6); return new; end $$;
      create trigger wait_for_record before insert on catalog_records for each row execute function wait_for_record()`);
    const db = openDb({ url: database.url, log, statementTimeoutMs: 2_000 });
    try {
      const { indexBatch } = createIndexer({ db, sources: [plain], log });
      await expect(indexBatch()).rejects.toMatchObject({ code: '57014' });
      expect((await indexBatch()).more).toBe(true);
      while ((await indexBatch()).more);
      expect(await records()).toHaveLength(4);
    } finally {
      await db.close();
    }
  });

  describe('that exceed the limit of a statement, each alone', () => {
    /** The database ends the statement at once, so that the tests do not depend on the speed of the machine. */
    const exceedLimitOf = (ids: readonly string[]) =>
      database.db.query(`
        create or replace function exceed_limit() returns trigger language plpgsql as $$
          begin
            if new.task_id in ('', '${ids.join("', '")}') then raise query_canceled; end if;
            return new;
          end $$;
        create or replace trigger exceed_limit before insert on catalog_records
          for each row execute function exceed_limit()`);

    /** Returns the number of skipped tasks. */
    async function indexBatches(count: number, ...sources: RecordSource[]): Promise<number> {
      const skipped: string[] = [];
      const onSkipped = (service: string) => skipped.push(service);
      const { indexBatch } = createIndexer({ db: database.db, sources, log, onSkipped });
      for (let i = 0; i < count; i++)
        await indexBatch().catch((error) => expect(error).toMatchObject({ code: '57014' }));
      return skipped.length;
    }

    it('are skipped when those behind them are indexed', async () => {
      const [first, slow, slower, ...later] = await finishTasks(tasks, 'photos', Array(10).fill({}));
      await exceedLimitOf([slow!, slower!]);
      expect(await indexBatches(20, plain)).toBe(2);
      expect([await taskIds(), await waiting()]).toEqual([[first, ...later], 0]);
    });

    it('are skipped in front of one that cannot be converted to a record', async () => {
      const [slow, bad, ...later] = await finishTasks(tasks, 'photos', Array(6).fill({}));
      await exceedLimitOf([slow!]);
      const choosy = source(async (_db, ended) => {
        if (ended.some(({ id }) => id === bad)) throw new Error('unreadable result');
        return ended.map((task) => draft(task));
      });
      expect(await indexBatches(12, choosy)).toBe(2);
      expect([await taskIds(), await waiting()]).toEqual([later, 0]);
    });

    it('are indexed later when no other task is indexed meanwhile', async () => {
      const ids = await finishTasks(tasks, 'photos', [{}, {}, {}]);
      await exceedLimitOf(ids);
      expect([await indexBatches(12, plain), await waiting()]).toEqual([0, 3]);
      await exceedLimitOf([]);
      expect(await indexAll(plain)).toBe(3);
      expect(await taskIds()).toEqual(ids);
    });

    it('are indexed later when none is behind them', async () => {
      const ids = await finishTasks(tasks, 'photos', [{}]);
      await exceedLimitOf(ids);
      expect([await indexBatches(12, plain), await waiting()]).toEqual([0, 1]);
      await exceedLimitOf([]);
      expect(await indexAll(plain)).toBe(1);
    });
  });

  it('become records, each once, in the order of their completion', async () => {
    const ids = await finishTasks(tasks, 'photos', [{ result: 1 }, { failure: FAILURES.WORKER_LOST }, { result: 3 }]);
    expect(await indexAll(plain)).toBe(3);
    expect(await indexAll(plain)).toBe(0);
    expect(await taskIds()).toEqual(ids);
    expect(await waiting()).toBe(0);
    const [first, second] = await records();
    expect(first).toMatchObject({
      record_id: `photos:${ids[0]}`,
      service: 'photos',
      status: 'done',
      title: 'Стена-17.jpg',
      surface: 'wall',
      master: 'cracking',
      master_conf: 0.9,
      top_conf: 0.9,
      defects: { crack: 0.9, chip: 0.4 },
      result: { said: 1 },
      hidden: false,
      attachment: null,
    });
    expect(second).toMatchObject({ status: 'failed', result: { error: FAILURES.WORKER_LOST.message } });
  });

  it('are found by the words of their title and text', async () => {
    await finishTasks(tasks, 'photos', [{}]);
    await indexAll(plain);
    const found = async (word: string) =>
      (await database.db.query(`select from catalog_records where search @@ to_tsquery('russian', $1)`, [word]))
        .rowCount;
    expect(await found('стены')).toBe(1);
    expect(await found('17')).toBe(1);
    expect(await found('трещины')).toBe(1);
    expect(await found('cracks')).toBe(1);
    expect(await found('окно')).toBe(0);
    const { rows } = await database.db.query<{ word: string }>('select word from catalog_words order by word');
    expect(rows.map(({ word }) => word)).toEqual(['17', 'crack', 'jpg', 'стена', 'трещина']);
  });

  it('copy their attachments, which stay after the task is deleted', async () => {
    const heat = { maps: { crack: 'AAAA' } };
    const [id] = await finishTasks(tasks, 'photos', [{ attachment: heat }]);
    await indexAll(source(async (_db, ended) => ended.map((task) => draft(task, { withAttachment: true }))));
    await tasks.remove('photos', [id!]);
    expect((await records())[0]!['attachment']).toEqual(heat);
  });

  it('for which the service creates no record are not indexed, and their existing record is deleted', async () => {
    const [, second] = await finishTasks(tasks, 'photos', [{ failure: FAILURES.CANCELLED }, { result: 2 }]);
    await indexAll(
      source(async (_db, ended) => ended.filter(({ status }) => status === 'done').map((task) => draft(task))),
    );
    expect(await taskIds()).toEqual([second]);
    await database.db.query('insert into catalog_feed (service, task_id) select service, id from tasks');
    await indexAll(source(async () => []));
    expect(await records()).toEqual([]);
    expect(await waiting()).toBe(0);
  });

  it('that were deleted or requeued before they are indexed leave their record unchanged', async () => {
    const [deleted, requeued] = await finishTasks(tasks, 'photos', [{ result: 1 }, { failure: FAILURES.WORKER_LOST }]);
    await indexAll(plain);
    await database.db.query('insert into catalog_feed (service, task_id) select service, id from tasks');
    await tasks.remove('photos', [deleted!]);
    await tasks.requeue('photos', requeued!, []);
    expect(await indexAll(plain)).toBe(0);
    expect(await waiting()).toBe(0);
    expect((await records()).map((row) => row['result'])).toEqual([
      { said: 1 },
      { error: FAILURES.WORKER_LOST.message },
    ]);
  });

  it('that finish a second time keep the number of their record', async () => {
    const [first] = await finishTasks(tasks, 'photos', [{ failure: FAILURES.WORKER_LOST }, { result: 2 }]);
    await indexAll(plain);
    const before = await records();
    await tasks.requeue('photos', first!, []);
    const want = { service: 'photos', worker: 'test', leaseMs: 60_000 };
    const { claimed } = await tasks.completeAndClaim([], { ...want, limit: 1 });
    const { attempt } = claimed[0]!;
    await tasks.completeAndClaim([{ id: first!, attempt, outcome: 'done', result: 'now', processingMs: 1 }], {
      ...want,
      limit: 0,
    });
    expect(await indexAll(plain)).toBe(1);
    const after = await records();
    expect(after.map((row) => row['number'])).toEqual(before.map((row) => row['number']));
    expect(after[0]).toMatchObject({ status: 'done', result: { said: 'now' } });
  });

  it('of services that are not a source are not fed', async () => {
    await finishTasks(tasks, 'others', [{}]);
    expect(await waiting()).toBe(0);
  });
});

describe('the feed', () => {
  it('is indexed once when the database terminates the transaction midway', async () => {
    const ids = await finishTasks(tasks, 'photos', [{ result: 1 }, { result: 2 }]);
    const cut = source(async (db, ended) => {
      await db.query('select pg_terminate_backend(pg_backend_pid())');
      return ended.map((task) => draft(task));
    });
    await expect(indexer(cut).indexBatch()).rejects.toThrow();
    expect(await records()).toEqual([]);
    expect(await waiting()).toBe(2);
    // The terminated process may still hold the lock of the indexer.
    await expect.poll(() => indexAll(plain)).toBe(2);
    expect(await taskIds()).toEqual(ids);
  });

  it('is processed by one indexer at a time, and every row once', async () => {
    let enter = () => {};
    let leave = () => {};
    const entered = new Promise<void>((resolve) => (enter = resolve));
    const left = new Promise<void>((resolve) => (leave = resolve));
    const slow = source(async (_db, ended) => {
      enter();
      await left;
      return ended.map((task) => draft(task, { title: 'slow' }));
    });
    await finishTasks(tasks, 'photos', [{}, {}]);
    const first = indexer(slow).indexBatch();
    await entered;
    expect(await indexer(plain).indexBatch()).toEqual({ indexed: new Map(), more: false });
    leave();
    expect((await first).indexed.get('photos')).toBe(2);
    await finishTasks(tasks, 'photos', [{}]);
    expect(await indexAll(plain)).toBe(1);
    expect((await records()).map((row) => row['title'])).toEqual(['slow', 'slow', 'Стена-17.jpg']);
  });

  it('is indexed once by several concurrent indexers', async () => {
    const ids = await finishTasks(
      tasks,
      'photos',
      Array.from({ length: 40 }, () => ({})),
    );
    await Promise.all(Array.from({ length: 6 }, () => indexAll(plain)));
    await indexAll(plain);
    expect(await taskIds()).toEqual(ids);
  });

  it('limits the size of a batch', async () => {
    // Random, so that the database cannot compress them.
    const large = () => Array.from({ length: 60_000 }, () => Math.random().toString(36)).join('');
    await finishTasks(
      tasks,
      'photos',
      Array.from({ length: 8 }, () => ({ result: large() })),
    );
    const seen: number[] = [];
    const counting = source(async (_db, ended) => {
      seen.push(ended.length);
      return ended.map((task) => draft(task, { result: {} }));
    });
    expect(await indexAll(counting)).toBe(8);
    expect(Math.max(...seen)).toBeLessThan(8);
    expect(seen.reduce((sum, each) => sum + each)).toBe(8);
  });

  it('skips results that cannot be written or converted to a record', async () => {
    const [first, bad, third, worse] = await finishTasks(tasks, 'photos', [{ result: 1 }, {}, { result: 3 }, {}]);
    const choosy = source(async (_db, ended) => {
      if (ended.some(({ id }) => id === bad)) throw new Error('unreadable result');
      // An invalid status.
      return ended.map((task) => draft(task, task.id === worse ? { status: 'odd' as never } : {}));
    });
    expect(await indexAll(choosy)).toBe(2);
    expect(await taskIds()).toEqual([first, third]);
    expect(await waiting()).toBe(0);
  });

  it('stores hostile text unchanged except for characters that PostgreSQL cannot store', async () => {
    await finishTasks(tasks, 'photos', [{}]);
    const hostile = '<script>alert(1)</script> =1+1 \u202Etxt.exe\u202C \0 \ud800 \u0007';
    const text = `${hostile}${'я'.repeat(250_000)}${'ﷺ'.repeat(20_000)}`;
    await indexAll(
      source(async (_db, ended) =>
        ended.map((task) =>
          draft(task, {
            title: hostile,
            text,
            surface: hostile,
            master: { name: hostile, conf: 1 },
            defects: [{ name: hostile, conf: 1 }],
            result: { [hostile]: [hostile, { deep: hostile }] },
          }),
        ),
      ),
    );
    const stored = '<script>alert(1)</script> =1+1 \u202Etxt.exe\u202C  \uFFFD \u0007';
    const [record] = await records();
    expect(record).toMatchObject({ title: stored, surface: stored, master: stored, defects: { [stored]: 1 } });
    expect(record!['result']).toEqual({ [stored]: [stored, { deep: stored }] });
    expect(record!['text']).toHaveLength(200_000);
    const { rowCount } = await database.db.query(
      `select from catalog_records where search @@ to_tsquery('russian', 'alert')`,
    );
    expect(rowCount).toBe(1);
  });
});

describe('a feed in another database', () => {
  let records: TestDatabase;
  beforeEach(async () => {
    records = await testDatabase();
  });
  afterEach(() => records.drop());

  const withAttachment = source(async (_db, ended) => ended.map((task) => draft(task, { withAttachment: true })));
  const indexer = (feed: Partial<Feed> = {}) =>
    createIndexer({
      ...{ db: records.db, sources: [withAttachment], log },
      feed: { db: database.db, servicesElsewhere: [], ...feed },
    });
  const written = async () =>
    (
      await records.db.query<Record<string, unknown>>(
        'select number, task_id, attachment from catalog_records join catalog_details using (number) order by number',
      )
    ).rows;
  const idCount = async () => (await records.db.query('select from catalog_indexed_feed_rows')).rowCount;
  /** The transaction of the feed ends like that of a server that stops before the commit. */
  const failing: Db = {
    canListen: true,
    ...{ query: (...args) => database.db.query(...args), listen: (...args) => database.db.listen(...args) },
    ...{ notify: (...args) => database.db.notify(...args), close: () => database.db.close() },
    runOutsideTransaction: (...args) => database.db.runOutsideTransaction(...args),
    transaction: (run) =>
      database.db.transaction(async (tx) => {
        await run(tx);
        throw Object.assign(new Error('terminating connection'), { code: '57P01' });
      }),
  };

  it('gives the records of its tasks, with their attachments, to the database of the records', async () => {
    const heat = { maps: { crack: 'AAAA' } };
    const ids = await finishTasks(tasks, 'photos', [{ attachment: { ...heat, training: [1] } }, {}]);
    const { indexed } = await indexer().indexBatch();
    expect(indexed).toEqual(new Map([['photos', 2]]));
    expect((await written()).map(({ task_id, attachment }) => [task_id, attachment])).toEqual([
      [ids[0], heat],
      [ids[1], null],
    ]);
    expect(await waiting()).toBe(0);
    expect((await database.db.query('select from catalog_records')).rowCount).toBe(0);
  });

  it('is indexed once when its database fails after the records are written', async () => {
    const [deleted, kept] = await finishTasks(tasks, 'photos', [{}, {}]);
    await expect(indexer({ db: failing }).indexBatch()).rejects.toThrow('terminating connection');
    expect(await waiting()).toBe(2);
    await deleteRecords(records.db, [`photos:${deleted}`]);
    const next = indexer();
    expect((await next.indexBatch()).indexed).toEqual(new Map());
    expect((await written()).map((row) => row['task_id'])).toEqual([kept]);
    expect([await waiting(), await idCount()]).toEqual([0, 2]);
    // The ids of deleted rows are deleted with the next batch.
    const [later] = await finishTasks(tasks, 'photos', [{}]);
    await next.indexBatch();
    expect((await written()).map((row) => row['task_id'])).toEqual([kept, later]);
    expect(await idCount()).toBe(1);
  });

  it('is not indexed by an indexer that lost its lock while it was paused', async () => {
    const [deleted, kept] = await finishTasks(tasks, 'photos', [{}, {}]);
    const resumed = source(async (db, ended) => {
      const { rows } = await db.query<{ pid: number }>('select pg_backend_pid() as pid');
      await database.db.query('select pg_terminate_backend($1, 10000)', [rows[0]!.pid]);
      const other = indexer();
      await other.indexBatch();
      await deleteRecords(records.db, [`photos:${deleted}`]);
      // Deletes the ids of the first batch.
      await finishTasks(tasks, 'photos', [{}]);
      await other.indexBatch();
      return ended.map((task) => draft(task));
    });
    const feed = { db: database.db, servicesElsewhere: [] };
    const paused = createIndexer({ db: records.db, feed, sources: [resumed], log });
    await expect(paused.indexBatch()).rejects.toThrow();
    const ids = (await written()).map((row) => row['task_id']);
    expect(ids).toHaveLength(2);
    expect(ids).toContain(kept);
    expect(ids).not.toContain(deleted);
  });

  it('is not reported as invalid when another indexer stores its rows at the same moment', async () => {
    await finishTasks(tasks, 'photos', [{}]);
    let calls = 0;
    const overtaken = source(async (_db, ended) => {
      if (++calls === 1) throw new Error('rows are then indexed one by one');
      const { rows } = await database.db.query<{ id: string }>('select id from catalog_feed');
      await records.db.query('insert into catalog_indexed_feed_rows (id) values ($1)', [rows[0]!.id]);
      return ended.map((task) => draft(task));
    });
    const errors: unknown[] = [];
    const feed = { db: database.db, servicesElsewhere: [] };
    const reporting = { ...log, error: (...line: unknown[]) => errors.push(line) } as unknown as typeof log;
    const late = createIndexer({ db: records.db, feed, sources: [overtaken], log: reporting });
    expect((await late.indexBatch()).indexed).toEqual(new Map());
    expect([calls, errors, await waiting(), await written()]).toEqual([2, [], 0, []]);
  });

  it('keeps its rows while the database of the records is unavailable', async () => {
    const ids = await finishTasks(tasks, 'photos', [{}, {}]);
    const closed = openDb({ url: records.url, log });
    await closed.close();
    const feed = { db: database.db, servicesElsewhere: [] };
    const stopped = createIndexer({ db: closed, feed, sources: [withAttachment], log });
    await expect(stopped.indexBatch()).rejects.toThrow();
    expect(await waiting()).toBe(2);
    await indexer().indexBatch();
    expect((await written()).map((row) => row['task_id'])).toEqual(ids);
  });

  it('keeps the rows of services that use another database, as in a copied database', async () => {
    await finishTasks(tasks, 'photos', [{}]);
    expect((await indexer({ servicesElsewhere: ['photos'] }).indexBatch()).indexed).toEqual(new Map());
    expect([await written(), await waiting()]).toEqual([[], 1]);
  });

  it('is filled again by a rebuild as soon as its database responds', async () => {
    await finishTasks(tasks, 'photos', [{}]);
    await setSources(database.db, ['photos']);
    await indexer().indexBatch();
    const closed = openDb({ url: database.url, log });
    await closed.close();
    await requestRebuild(records.db);
    const feedOf = (db: Db) => [{ db, servicesElsewhere: [] }];
    await expect(runRebuildStep(records.db, feedOf(closed))).rejects.toThrow();
    expect(await runRebuildStep(records.db, feedOf(database.db))).toBe(true);
    expect(await waiting()).toBe(1);
    while (await runRebuildStep(records.db, feedOf(database.db)));
    expect(await waiting()).toBe(1);
  });

  it('counts the waiting time of its tasks, also while its database does not respond', async () => {
    await finishTasks(tasks, 'photos', [{}]);
    await createEventStore(database.db).numberNew();
    await database.db.query(`update catalog_feed set at = now() - interval '1 hour'`);
    let nowMs = 0;
    const own = openDb({ url: database.url, log });
    const lag = createFeedLag([{ db: own, servicesElsewhere: [] }], () => nowMs);
    expect(await lag()).toBeGreaterThanOrEqual(3600);
    await own.close();
    nowMs = 60_000;
    expect(await lag()).toBeGreaterThanOrEqual(3660);
  });
});
