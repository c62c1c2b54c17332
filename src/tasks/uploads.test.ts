import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '../base/ids.ts';
import { type TestDatabase, testDatabase } from '../base/testing/database.ts';
import { postgresUploads, type Uploads } from './uploads.ts';

let database: TestDatabase;
let uploads: Uploads;
beforeAll(async () => {
  database = await testDatabase();
  uploads = postgresUploads(database.db);
});
afterAll(() => database.drop());

const keep = (principal: string, sizeBytes: number, ttlSeconds = 60) =>
  uploads.keep({ key: newId(), principal, sizeBytes, contentType: 'image/png' }, { ttlSeconds, quotaBytes: 100 });

it('keeps no more for a principal than the quota, also when all comes at once', async () => {
  const kept = await Promise.all([...Array.from({ length: 30 }, () => keep('p', 30)), keep('q', 100)]);
  expect(kept.filter((upload) => upload?.principal === 'p')).toHaveLength(3);
  expect(kept.filter((upload) => upload?.principal === 'q')).toHaveLength(1);
});

it('names what has expired, the oldest first', async () => {
  const young = await keep('r', 1, -10);
  const old = await keep('r', 1, -20);
  expect(await uploads.expired(10)).toEqual([old!.key, young!.key]);
  expect(await uploads.expired(1)).toEqual([old!.key]);
});
