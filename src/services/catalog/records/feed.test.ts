import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../base/ids.ts';
import { createLog } from '../../../base/log.ts';
import { type TestDatabase, testDatabase } from '../../../base/testing/database.ts';
import { postgresTaskStore } from '../../../tasks/postgres.ts';
import type { RecordSource } from '../../records.ts';
import { openIndexer } from './feed.ts';
import { switchSources } from './sources.ts';

let database: TestDatabase;
let tasks: ReturnType<typeof postgresTaskStore>;
const log = createLog('silent', 'test');

beforeAll(async () => {
  database = await testDatabase();
  tasks = postgresTaskStore(database.db);
  await switchSources(database.db, ['defectoscopy']);
});
afterAll(async () => {
  tasks.close();
  await database.drop();
});

const source: RecordSource = {
  service: 'defectoscopy',
  title: 'Defectoscopy',
  drafts: async (_db, ended) =>
    ended.map((task) => ({
      taskId: task.id,
      status: task.status,
      createdAt: task.queuedAt,
      title: 'wall-17.jpg',
      text: 'трещина',
      surface: 'concrete_wall',
      master: { name: 'cracking', conf: 0.9 },
      defects: [{ name: 'crack', conf: 0.9 }],
      result: { task: task.id },
      withAttachment: true,
      picture: 'https://storage.example.com/a.jpg',
    })),
};

describe('the indexer', () => {
  it('writes one record for each finished task, in their order', async () => {
    const ids = [newId(), newId(), newId()];
    for (const id of ids) {
      await tasks.accept({
        id,
        service: 'defectoscopy',
        principal: 'p',
        priority: 'realtime',
        input: {},
        estimateSeconds: 1,
        deadlineSeconds: 100,
        ttlSeconds: 1000,
      });
    }
    const want = { service: 'defectoscopy', worker: 'w', leaseMs: 1000 };
    const { claimed } = await tasks.advance([], { ...want, limit: 10 });
    for (const { id, attempt } of claimed)
      await tasks.advance([{ id, attempt, outcome: 'done', result: { a: 1 }, processingMs: 3, attachment: { m: 2 } }], {
        ...want,
        limit: 0,
      });
    const { indexed, more } = await openIndexer({ db: database.db, sources: [source], log }).turn();
    expect(more).toBe(false);
    expect(indexed.get('defectoscopy')).toBe(3);
    const { rows } = await database.db.query(
      'select * from catalog_records join catalog_texts using (number) join catalog_details using (number) order by number',
    );
    console.log(rows[0], (await database.db.query('select * from catalog_words')).rows, (await database.db.query('select * from catalog_pictures')).rows);
    expect(rows.map((row) => row['task_id'])).toEqual(ids);
  });
});
