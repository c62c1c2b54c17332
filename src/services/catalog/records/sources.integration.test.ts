import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { finishTasks } from '../../../../test/support/catalog-tasks.ts';
import { type TestDatabase, testDatabase } from '../../../../test/support/database.ts';
import { createLog } from '../../../base/log.ts';
import { createPostgresTaskStore } from '../../../tasks/postgres.ts';
import { afterEndSql, ENDED_COLUMNS } from '../../../tasks/task-rows.ts';
import type { RecordSource } from '../../shared/records.ts';
import { createIndexer } from './feed.ts';
import { backfillFeed, setSources } from './sources.ts';

let database: TestDatabase;
let tasks: ReturnType<typeof createPostgresTaskStore>;
const { signal } = new AbortController();

beforeEach(async () => {
  database = await testDatabase();
  tasks = createPostgresTaskStore(database.db);
  await setSources(database.db, ['photos']);
});
afterEach(async () => {
  tasks.close();
  await database.drop();
});

const sources = ['photos', 'sounds'].map(
  (service): RecordSource => ({
    ...{ service, title: service },
    drafts: async (_db, ended) =>
      ended.map(({ id, status, queuedAt }) => ({
        ...{ taskId: id, status, createdAt: queuedAt, title: id, text: '', result: {} },
      })),
  }),
);

/** Returns the number of written records. */
async function indexAll(): Promise<number> {
  const { indexed } = await createIndexer({ db: database.db, sources, log: createLog('silent', 'test') }).indexBatch();
  return [...indexed.values()].reduce((sum, count) => sum + count, 0);
}

const taskIds = async () =>
  (await database.db.query<{ task_id: string }>('select task_id from catalog_records order by number')).rows.map(
    (row) => row.task_id,
  );
const waiting = async () => (await database.db.query('select from catalog_feed')).rowCount;

describe('a source', () => {
  it('that is enabled indexes all readable tasks, once', async () => {
    const earlier = await finishTasks(tasks, 'sounds', [{ result: 1 }, { result: 2 }]);
    await database.db.query(`update tasks set expires_at = now() - interval '1 second' where id = $1`, [earlier[0]]);
    await setSources(database.db, ['photos', 'sounds']);
    await backfillFeed(database.db, signal);
    await backfillFeed(database.db, signal);
    const later = await finishTasks(tasks, 'sounds', [{ result: 3 }]);
    expect(await indexAll()).toBe(2);
    expect(await taskIds()).toEqual([earlier[1], ...later]);
  });

  it('that is enabled while a task is finishing indexes that task too', async () => {
    const id = 'in-between';
    const task = { service: 'sounds', principal: 'p', priority: 'realtime' as const, input: {}, estimateSeconds: 1 };
    await tasks.accept({ ...task, id });
    let fed: Promise<void> | undefined;
    await database.db.transaction(async (tx) => {
      // Ends before there is a source.
      await tx.query(
        `with ended as (update tasks t set status = 'done', result = '1', finished_at = now() where t.id = $1
                        returning ${ENDED_COLUMNS}),${afterEndSql('ended')}
         select from ended`,
        [id],
      );
      await setSources(database.db, ['photos', 'sounds']);
      fed = backfillFeed(database.db, signal);
      // The backfill sees that this transaction is still open.
      await tx.query('select pg_sleep(0.3)');
      expect(await waiting()).toBe(0);
    });
    await fed;
    expect(await indexAll()).toBe(1);
    expect(await taskIds()).toEqual([id]);
  });

  it('that was restored from a server with higher transaction ids is backfilled', async () => {
    const earlier = await finishTasks(tasks, 'sounds', [{}]);
    await setSources(database.db, ['photos', 'sounds']);
    await database.db.query(`update catalog_sources set since = '9000000000000' where service = 'sounds'`);
    await backfillFeed(database.db, signal);
    expect(await indexAll()).toBe(1);
    expect(await taskIds()).toEqual(earlier);
  });

  it('that is disabled indexes nothing more and keeps its records', async () => {
    const [first] = await finishTasks(tasks, 'photos', [{}]);
    await indexAll();
    await finishTasks(tasks, 'photos', [{}]);
    await setSources(database.db, []);
    await finishTasks(tasks, 'photos', [{}]);
    expect(await indexAll()).toBe(0);
    expect(await waiting()).toBe(0);
    expect(await taskIds()).toEqual([first]);
  });
});
