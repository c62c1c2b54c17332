import { afterAll, beforeAll, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../../../../test/support/database.ts';
import { createFolderFiles } from '../../../base/files.ts';
import { createLog } from '../../../base/log.ts';
import { createRecords } from '../records/records.ts';
import { createSearch } from './search.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

it('an export omits records that are hidden while it runs, and only those', async () => {
  const { db } = database;
  const records = createRecords({
    db,
    files: createFolderFiles({ dir: '/nowhere' }),
    log: createLog('silent', 'test'),
  });
  const ids = Array.from({ length: 500 }, (_, i) => `r${i}`);
  const at = (i: number) => new Date(Date.UTC(2026, 0, 1) + i * 1000);
  await records.import(ids.map((recordId, i) => ({ recordId, createdAt: at(i) })));
  // Includes whole batches.
  const hidden = new Set([...ids.slice(200, 401), 'r499']);
  const exported: string[] = [];
  for await (const { recordId } of createSearch(db).stream({}, 'oldest')) {
    exported.push(recordId);
    if (exported.length === 1) {
      await db.query('update catalog_records set hidden = true where record_id = any($1::text[])', [[...hidden]]);
    }
  }
  expect(exported).toEqual(ids.filter((id) => !hidden.has(id)));
});
