import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLog } from '../../src/base/log.ts';
import { createIndexer } from '../../src/services/catalog/records/feed.ts';
import { setSources } from '../../src/services/catalog/records/sources.ts';
import type { SharedSettings } from '../../src/services/shared/service.ts';
import { createCorrectionStore } from '../../src/services/stt/corrections/store.ts';
import { recordingRecords } from '../../src/services/stt/records.ts';
import { createPostgresTaskStore } from '../../src/tasks/postgres.ts';
import { finishTasks } from '../support/catalog-tasks.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { TRANSCRIPT } from '../support/speech/fake-model.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

it('A corrected transcript is found by its new words and no longer by the old ones', async () => {
  const { db } = database;
  const tasks = createPostgresTaskStore(db);
  await setSources(db, ['stt']);
  const source = { service: 'stt', title: 'Speech to text', ...recordingRecords({} as SharedSettings) };
  const indexer = createIndexer({ db, sources: [source], log: createLog('silent', 'test') });
  const input = { url: 'https://calls.example.com/17.mp3' };
  const [id] = await finishTasks(tasks, 'stt', [{ input, result: TRANSCRIPT as never }]);
  tasks.close();
  await indexer.indexBatch();
  const found = async (word: string) =>
    (await db.query(`select from catalog_records where search @@ to_tsquery('russian', $1)`, [word])).rowCount;
  expect([await found('crack'), await found('leak')]).toEqual([1, 0]);

  const original = TRANSCRIPT.segments;
  const segments = [{ ...original[0]!, text: 'The north wall shows a leak.' }];
  await createCorrectionStore(db).write(id!, { original, segments, actor: 'token-1', ifVersion: 0 });
  await indexer.indexBatch();
  expect([await found('crack'), await found('leak')]).toEqual([0, 1]);
  const { rows } = await db.query<{ title: string }>(
    'select title from catalog_records join catalog_texts using (number)',
  );
  expect(rows).toEqual([{ title: 'The north wall shows a leak.' }]);
});
