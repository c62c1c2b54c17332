import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { openBucketFiles } from '../../src/base/files/bucket-files.ts';
import { readBucketUrl } from '../../src/base/files/bucket-url.ts';
import { keyToPath } from '../../src/base/files/file-key.ts';
import { createFolderFiles, type Files } from '../../src/base/files.ts';
import { newId } from '../../src/base/ids.ts';
import { createLog } from '../../src/base/log.ts';
import { createFileDeletionQueue, EXPIRED_UPLOADS } from '../../src/services/shared/file-deletion-queue.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { KEYS, startS3Server } from '../support/s3/server.ts';

const TABLES = ['files', 'passport_files_to_delete', 'catalog_files_to_delete'] as const;
const log = createLog('silent', 'test');

let database: TestDatabase;
let dir: string;
let files: Files;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  await database.db.query(`truncate ${TABLES.join()}`);
  dir = await mkdtemp(join(tmpdir(), 'assay-removal-'));
  files = createFolderFiles({ dir });
  onTestFinished(() => rm(dir, { recursive: true }));
});

const deletionQueue = (table: (typeof TABLES)[number], store: Files = files) =>
  createFileDeletionQueue({ db: database.db, files: store, log }, table === 'files' ? EXPIRED_UPLOADS : { table });

async function queue(table: (typeof TABLES)[number], keys: readonly string[]): Promise<void> {
  const statement =
    table === 'files'
      ? `insert into files (key, principal, size_bytes, content_type, expires_at)
         select key, 'p', 1, 'image/png', now() - interval '1 second' from unnest($1::text[]) key`
      : `insert into ${table} (key) select unnest($1::text[])`;
  await database.db.query(statement, [keys]);
}

const count = async (table: string) =>
  (await database.db.query<{ n: number }>(`select count(*)::int as n from ${table}`)).rows[0]!.n;

const store = async (many: number) => {
  const stored = await Promise.all(Array.from({ length: many }, () => files.put(Buffer.from('x'), { maxBytes: 1 })));
  return stored.map(({ key }) => key);
};

describe.each(TABLES)('Deletion of files queued in %s', (table) => {
  it('sends more than ten requests at once to a bucket', async () => {
    const storage = await startS3Server({ latencyMs: 20 });
    const bucket = openBucketFiles(readBucketUrl(storage.filesUrl), { keys: KEYS, tempDir: dir, log });
    onTestFinished(async () => {
      await bucket.close();
      await storage.stop();
    });
    const keys = Array.from({ length: 2000 }, () => newId());
    for (const key of keys) storage.objects.set(`some/where/${keyToPath(key)}`, Buffer.from('x'));
    await queue(table, keys);
    await deletionQueue(table, bucket).drain();
    expect([storage.objects.size, await count(table)]).toEqual([0, 0]);
    // 24 times as fast as one at a time on two busy cores (measured).
    expect(storage.concurrency.highest).toBeGreaterThan(10);
  });

  it('removes each file once when several processes run at the same time', async () => {
    const keys = await store(1200);
    await queue(table, keys);
    const removedKeys: string[] = [];
    const counted: Files = {
      ...files,
      remove(key) {
        removedKeys.push(key);
        return files.remove(key);
      },
    };
    await Promise.all([1, 2, 3, 4].map(() => deletionQueue(table, counted).drain()));
    expect(removedKeys.sort()).toEqual(keys.sort());
    expect(await count(table)).toBe(0);
  });

  it('continues after a file that cannot be removed, and retries it in the next run', async () => {
    const keys = await store(1200);
    await queue(table, keys);
    let fails = true;
    let tries = 0;
    const failing: Files = {
      ...files,
      async remove(key) {
        if (key !== keys[0]) return files.remove(key);
        tries++;
        if (fails) throw new Error('the disk is read-only');
        return files.remove(key);
      },
    };
    await deletionQueue(table, failing).drain();
    expect([await count(table), tries]).toEqual([1, 1]);
    fails = false;
    await deletionQueue(table, failing).drain();
    expect(await count(table)).toBe(0);
  });

  it('keeps the rows of existing files, and resumes after a killed process', async () => {
    const [first, second] = (await store(2)) as [string, string];
    await queue(table, [first, second]);
    // A process that dies after removing one file and before deleting any row.
    const dying: Files = { ...files, remove: (key) => (key === first ? files.remove(key) : new Promise(() => {})) };
    void deletionQueue(table, dying).drain();
    while ((await files.get(first)) !== undefined) await new Promise((resolve) => setTimeout(resolve, 5));
    expect([await count(table), await files.get(second)]).toEqual([2, Buffer.from('x')]);

    await deletionQueue(table).drain();
    expect(await count(table)).toBe(2);
    await database.db.query(`update ${table} set leased_until = leased_until - interval '61 seconds'`);
    await deletionQueue(table).drain();
    expect([await count(table), await files.get(second)]).toEqual([0, undefined]);
  });

  it('releases its keys when it is stopped', async () => {
    const keys = await store(100);
    await queue(table, keys);
    const stop = new AbortController();
    const slow: Files = {
      ...files,
      async remove(key) {
        stop.abort();
        await files.remove(key);
      },
    };
    await deletionQueue(table, slow).drain(stop.signal);
    const left = await count(table);
    expect(left).toBeGreaterThan(50);
    await deletionQueue(table).drain();
    expect(await count(table)).toBe(0);
  });
});

it('Deletion of files keeps uploads until they expire', async () => {
  const [key] = (await store(1)) as [string];
  await queue('files', [key]);
  await database.db.query(`update files set expires_at = now() + interval '1 hour'`);
  await deletionQueue('files').drain();
  expect([await count('files'), await files.get(key)]).toEqual([1, Buffer.from('x')]);
});
