import { afterAll, beforeAll, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../../../../test/support/database.ts';
import { createFolderFiles } from '../../../base/files.ts';
import { createLog } from '../../../base/log.ts';
import { textsOf } from './entry.ts';
import { runRebuildStep } from './rebuild.ts';
import { createRecords } from './records.ts';
import { writeRecords } from './write.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

const entry = (recordId: string) => ({
  ...{ recordId, service: 'import', status: 'done' as const, ...textsOf(recordId, 'новое') },
  ...{ defects: [], fields: [], result: {} },
});

async function untilLockContention(): Promise<void> {
  await expect
    .poll(
      async () =>
        (
          await database.db.query(
            `select from pg_locks join pg_stat_activity using (pid) where not granted and datname = current_database()`,
          )
        ).rowCount,
      { timeout: 20_000 },
    )
    .toBeGreaterThan(0);
}

it('writing records and rebuilding the index concurrently does not deadlock', async () => {
  const { db } = database;
  const records = createRecords({
    db,
    files: createFolderFiles({ dir: '/nowhere' }),
    log: createLog('silent', 'test'),
  });
  await records.import([{ recordId: 'b' }, { recordId: 'a' }]);
  await records.requestRebuild();
  await runRebuildStep(db);
  let rebuilding: Promise<boolean> | undefined;
  await db.transaction(async (tx) => {
    await writeRecords(tx, [entry('a')]);
    rebuilding = runRebuildStep(db);
    await untilLockContention();
    await writeRecords(tx, [entry('b')]);
  });
  expect(await rebuilding).toBe(true);
  const { rows } = await db.query(
    `select record_id from catalog_records where search @@ to_tsquery('russian', 'новое')`,
  );
  expect(rows).toHaveLength(2);
});
