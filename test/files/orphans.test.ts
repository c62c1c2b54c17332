import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Registry } from 'prom-client';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { openBucketFiles } from '../../src/base/files/bucket-files.ts';
import { readBucketUrl } from '../../src/base/files/bucket-url.ts';
import { keyFolders, keyTime, keyToPath } from '../../src/base/files/file-key.ts';
import { createOrphanCollector } from '../../src/base/files/orphan-collector.ts';
import { folderKeys, MARKER, type StoredKeys } from '../../src/base/files/stored-keys.ts';
import { createFolderFiles, type Files } from '../../src/base/files.ts';
import { newId } from '../../src/base/ids.ts';
import { createLog, type Log } from '../../src/base/log.ts';
import { BACKUP_CONTENTS } from '../../src/commands/backup-contents.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { KEYS, startS3Server } from '../support/s3/server.ts';

const DAY_MS = 86_400_000;
const ALL = keyFolders().length;
const log = createLog('silent', 'test');

interface Storage {
  readonly files: Files;
  readonly stored: StoredKeys;
  /** Stores a file under a key of an earlier time. */
  add(key: string): Promise<void>;
  keys(): Promise<string[]>;
  marker(): Promise<string | undefined>;
  close(): Promise<void>;
}

async function inFolder(): Promise<Storage> {
  const root = await mkdtemp(join(tmpdir(), 'assay-orphans-'));
  const dir = join(root, 'files');
  return {
    files: createFolderFiles({ dir }),
    stored: folderKeys(dir),
    async add(key) {
      await mkdir(dirname(join(dir, keyToPath(key))), { recursive: true });
      await writeFile(join(dir, keyToPath(key)), 'x');
    },
    keys: async () =>
      (await readdir(dir, { recursive: true, withFileTypes: true }))
        .filter((entry) => entry.isFile() && entry.name !== MARKER)
        .map(({ name }) => name)
        .sort(),
    marker: () => readFile(join(dir, MARKER), 'utf8').catch(() => undefined),
    close: () => rm(root, { recursive: true }),
  };
}

async function inBucket(): Promise<Storage> {
  const server = await startS3Server({ pageSize: 3 });
  const tempDir = await mkdtemp(join(tmpdir(), 'assay-orphans-'));
  const bucket = openBucketFiles(readBucketUrl(server.filesUrl), { keys: KEYS, tempDir, log });
  return {
    ...{ files: bucket, stored: bucket },
    async add(key) {
      server.objects.set(`some/where/${keyToPath(key)}`, Buffer.from('x'));
    },
    keys: async () =>
      [...server.objects.keys()]
        .filter((path) => !path.endsWith(MARKER))
        .map((path) => path.slice(path.lastIndexOf('/') + 1))
        .sort(),
    marker: async () => server.objects.get(`some/where/${MARKER}`)?.toString(),
    async close() {
      await bucket.close();
      await server.stop();
      await rm(tempDir, { recursive: true });
    },
  };
}

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
  return () => database.drop();
});

describe.each([
  ['folder', inFolder],
  ['bucket', inBucket],
] as const)('Stored files without a row in a %s', (_, open) => {
  let storage: Storage;
  let registry: Registry;
  let collector: ReturnType<typeof createOrphanCollector>;
  const warn = vi.fn();
  const start = () => {
    registry = new Registry();
    const { files, stored } = storage;
    const columns = BACKUP_CONTENTS.fileColumns;
    const spied = { ...log, info: () => {}, warn } as unknown as Log;
    collector = createOrphanCollector({ db: database.db, files, stored, columns, registry, log: spied });
  };
  beforeEach(async () => {
    warn.mockReset();
    await database.db.query('delete from files');
    await database.db.query('delete from file_storage');
    storage = await open();
    start();
  });
  afterEach(() => storage.close());

  const pass = () => collector.step(new AbortController().signal, ALL);
  const old = () => newId('', Date.now() - 2 * DAY_MS);
  const addRow = (key: string) =>
    database.db.query(
      `insert into files (key, principal, size_bytes, content_type, expires_at) values ($1, 'a', 1, 'image/png', now())`,
      [key],
    );
  const addReferenced = async (count: number) => {
    const keys = Array.from({ length: count }, old);
    for (const key of keys) {
      await storage.add(key);
      await addRow(key);
    }
    return keys;
  };
  const databaseId = async () =>
    (await database.db.query<{ id: string }>('select database_id as id from file_storage')).rows[0]!.id;
  /** The database has been in use for longer than the grace period. */
  const age = () => database.db.query(`update file_storage set since = since - interval '2 days'`);
  const kept = async () => (await registry.getSingleMetric('assay_files_orphans_kept')!.get()).values[0]!.value;

  it('are deleted after a day, but not files of rows and not those of an upload in progress', async () => {
    const referenced = await addReferenced(30);
    await pass();
    expect(await storage.marker()).toBe(`${await databaseId()}\n`);
    const orphan = old();
    await storage.add(orphan);
    const { key: uploading } = await storage.files.put(Buffer.from('x'), { maxBytes: 10 });
    // A new or restored database waits for a day.
    await pass();
    expect(await storage.keys()).toContain(orphan);
    await age();
    await pass();
    expect(await storage.keys()).toEqual([...referenced, uploading].sort());
    await addRow(uploading);
    await pass();
    expect(await storage.keys()).toContain(uploading);
    const { values } = await registry.getSingleMetric('assay_files_orphans_deleted_total')!.get();
    expect(values[0]!.value).toBe(1);
    expect(await kept()).toBe(0);
  });

  it('are kept in the storage of another database, which is reported once', async () => {
    await pass();
    const other = 'b7b5c1f2-0000-4000-8000-000000000000';
    const own = await databaseId();
    await storage.stored.writeMarker(`${other}\n`);
    const orphan = old();
    await storage.add(orphan);
    await age();
    for (let n = 0; n < 3; n++) await pass();
    expect(await storage.keys()).toEqual([orphan]);
    // The other database keeps the files of this one as well.
    expect(await storage.marker()).toBe(`${other}\n${own}\n`);
    expect(await kept()).toBe(1);
    expect(warn.mock.calls.map(([, message]) => message)).toEqual([
      'another database uses the file storage: stored files without a row are kept',
      'other databases use the file storage: stored files without a row are kept',
    ]);
    await storage.stored.writeMarker(`${own}\n`);
    await pass();
    expect(await storage.keys()).toEqual([]);
  });

  it('are kept in a storage without a marker whose files are mostly unknown', async () => {
    await addReferenced(2);
    for (let n = 0; n < 5; n++) await storage.add(old());
    await pass();
    await age();
    await pass();
    expect(await storage.keys()).toHaveLength(7);
    expect([await storage.marker(), await kept()]).toEqual([undefined, 1]);
    expect(warn).toHaveBeenCalledTimes(1);
  });

  it('are kept after the database was replaced by an older backup, until its marker is corrected', async () => {
    const referenced = await addReferenced(10);
    await pass();
    const later = old();
    await storage.add(later);
    await database.db.query('delete from file_storage');
    start();
    await pass();
    await age();
    await pass();
    expect(await storage.keys()).toEqual([...referenced, later].sort());
    await storage.stored.writeMarker(`${await databaseId()}\n`);
    await pass();
    expect(await storage.keys()).toEqual([...referenced].sort());
  });
});

it('reads the time of a key', () => {
  expect(keyTime(newId('', 1_767_225_600_123))).toBe(1_767_225_600_123);
});
