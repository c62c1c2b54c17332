import { afterAll, beforeAll, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../../test/support/database.ts';
import { newId } from '../base/ids.ts';
import { createPostgresUploadStore, type UploadStore } from './uploads.ts';

let database: TestDatabase;
let uploads: UploadStore;
beforeAll(async () => {
  database = await testDatabase();
  uploads = createPostgresUploadStore(database.db);
});
afterAll(() => database.drop());

const insert = (principal: string, sizeBytes: number, ttlSeconds = 60) =>
  uploads.insert({ key: newId(), principal, sizeBytes, contentType: 'image/png' }, { ttlSeconds, quotaBytes: 100 });

it('concurrent uploads of a principal do not exceed its quota', async () => {
  const inserted = await Promise.all([...Array.from({ length: 30 }, () => insert('p', 30)), insert('q', 100)]);
  expect(inserted.filter((upload) => upload?.principal === 'p')).toHaveLength(3);
  expect(inserted.filter((upload) => upload?.principal === 'q')).toHaveLength(1);
});

it('expired uploads count towards the quota until they are deleted', async () => {
  const inserted = await insert('r', 100, -10);
  expect(await insert('r', 1)).toBeUndefined();
  await database.db.query('delete from files where key = $1', [inserted!.key]);
  expect(await insert('r', 100)).toBeDefined();
});

it('many uploads are stored completely or, above the quota, not at all', async () => {
  const uploadsOf = (count: number) =>
    Array.from({ length: count }, () => ({ key: newId(), sizeBytes: 30, contentType: 'image/png' }));
  const limits = { ttlSeconds: 60, quotaBytes: 100 };
  expect(await uploads.insertAll('m', uploadsOf(4), limits)).toBe(false);
  expect(await uploads.insertAll('m', uploadsOf(2), limits)).toBe(true);
  expect(await uploads.insertAll('m', uploadsOf(2), limits)).toBe(false);
  expect(await Promise.all([40, 41].map((size) => uploads.hasRoom('m', size, 100)))).toEqual([true, false]);
  expect(await uploads.hasRoom('n', 101, 100)).toBe(false);
});

it('an upload that was expired is due for deletion', async () => {
  const inserted = await insert('x', 100);
  await uploads.expire([inserted!.key]);
  const { rowCount } = await database.db.query('select from files where key = $1 and expires_at <= now()', [
    inserted!.key,
  ]);
  expect(rowCount).toBe(1);
});

it('sums match the files after concurrent inserts and deletes of several principals', async () => {
  const { db } = database;
  const principals = ['s', 't', 'u', 'v'];
  const churn = async (worker: number) => {
    for (let i = 0; i < 10; i++) {
      await Promise.all(principals.map((principal) => insert(principal, 1 + ((worker + i) % 3))));
      // Like a sweep: files of several principals in one statement, in random order.
      await db.query(
        `delete from files where key in (select key from files where principal = any($1) order by random() limit 5 for update skip locked)`,
        [principals],
      );
    }
  };
  await Promise.all([0, 1, 2, 3].map(churn));
  const sums = await db.query(`select principal, sum(size_bytes)::int as size_bytes from files group by 1 order by 1`);
  const totals = await db.query('select principal, size_bytes from file_totals where size_bytes > 0 order by 1');
  expect(totals.rows).toEqual(sums.rows);
});
