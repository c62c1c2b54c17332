import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Registry } from 'prom-client';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Db } from '../../src/base/db.ts';
import { openBucketFiles } from '../../src/base/files/bucket-files.ts';
import { readBucketUrl } from '../../src/base/files/bucket-url.ts';
import { keyFolders, keyTime, keyToPath } from '../../src/base/files/file-key.ts';
import { createOrphanCollector } from '../../src/base/files/orphan-collector.ts';
import { claimStorage } from '../../src/base/files/storage-claim.ts';
import { folderKeys, MARKER, type StoredKeys } from '../../src/base/files/stored-keys.ts';
import { createFolderFiles, type Files } from '../../src/base/files.ts';
import { newId } from '../../src/base/ids.ts';
import { createLog, type Log } from '../../src/base/log.ts';
import { knowsMigrations } from '../../src/base/migrate.ts';
import { readMigrations } from '../../src/base/migration-files.ts';
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
  removeMarker(): Promise<unknown>;
  close(): Promise<void>;
}

async function inFolder(): Promise<Storage & { root: string }> {
  const root = await mkdtemp(join(tmpdir(), 'assay-orphans-'));
  const dir = join(root, 'files');
  return {
    root,
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
    removeMarker: () => rm(join(dir, MARKER)),
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
    removeMarker: async () => server.objects.delete(`some/where/${MARKER}`),
    async close() {
      await bucket.close();
      await server.stop();
      await rm(tempDir, { recursive: true });
    },
  };
}

let database: TestDatabase;
let clone: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
  clone = await testDatabase();
  return async () => {
    await database.drop();
    await clone.drop();
  };
});

describe.each([
  ['folder', inFolder],
  ['bucket', inBucket],
] as const)('Stored files without a row in a %s', (kind, open) => {
  /** A pass lists every folder with a request to the bucket, so there the full tier runs the variations. */
  const variation = { tags: kind === 'bucket' ? ['full'] : [] };
  let storage: Storage;
  let isSchemaKnown: boolean;
  const warn = vi.fn();
  const start = ({ db }: TestDatabase, otherDatabases: readonly Db[] = []) => {
    const registry = new Registry();
    const { files, stored } = storage;
    const columns = BACKUP_CONTENTS.fileColumns;
    const collector = createOrphanCollector({
      ...{ db, otherDatabases, files, stored, columns, registry },
      isSchemaKnown: async () => isSchemaKnown,
      log: { ...log, info: () => {}, warn } as unknown as Log,
    });
    const read = async (name: string) => (await registry.getSingleMetric(name)!.get()).values[0]!.value;
    return {
      pass: () => collector.step(new AbortController().signal, ALL),
      kept: () => read('assay_files_orphans_kept'),
      deleted: () => read('assay_files_orphans_deleted_total'),
    };
  };
  let collector: ReturnType<typeof start>;
  const pass = () => collector.pass();
  const kept = () => collector.kept();
  const warnings = () => warn.mock.calls.map(([, message]) => String(message).split(':')[0]);
  beforeEach(async () => {
    warn.mockReset();
    isSchemaKnown = true;
    for (const { db } of [database, clone]) {
      await db.query('delete from files');
      await db.query('delete from file_storage');
    }
    storage = await open();
    collector = start(database);
  });
  afterEach(() => storage.close());

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
  const readRow = async ({ db }: TestDatabase = database) =>
    (await db.query<{ nonce: string; next: string | null; since: Date }>('select * from file_storage')).rows[0]!;
  const setRow = (assignments: string, { db }: TestDatabase = database) =>
    db.query(`update file_storage set ${assignments}`);
  /** The storage has been this database's alone for longer than the grace period. */
  const age = (of?: TestDatabase) => setRow(`since = now() - interval '2 days'`, of);
  /** The next step replaces the nonce. */
  const expireNonce = (of?: TestDatabase) => setRow(`rotated_at = now() - interval '1 hour'`, of);
  /** Like a clone or a point-in-time restore. */
  const copyRow = async () => {
    const { rows } = await database.db.query<{ row: string }>('select row_to_json(f)::text as row from file_storage f');
    await clone.db.query('delete from file_storage');
    await clone.db.query('insert into file_storage select * from json_populate_record(null::file_storage, $1::json)', [
      rows[0]!.row,
    ]);
  };

  it('are deleted after a day, but not files of rows and not those of an upload in progress', {
    tags: ['full'],
  }, async () => {
    const referenced = await addReferenced(30);
    await pass();
    expect(await storage.marker()).toBe(`${(await readRow()).nonce}\n`);
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
    expect([await collector.deleted(), await kept()]).toEqual([1, 0]);
  });

  it('are kept in the storage of another database, which is reported once', variation, async () => {
    await pass();
    await storage.stored.writeMarker('b7b5c1f2-0000-4000-8000-000000000000\n');
    const orphan = old();
    await storage.add(orphan);
    await age();
    for (let n = 0; n < 3; n++) await pass();
    expect(await storage.keys()).toEqual([orphan]);
    // The other database keeps the files of this one as well.
    expect(await storage.marker()).toMatch(/^contested/);
    expect(await kept()).toBe(1);
    expect(warnings()).toEqual(['other databases may use the file storage']);
  });

  it.each(['the original', 'the clone'])(
    'are kept if a clone uses the same storage and %s sweeps first',
    variation,
    async (first) => {
      await pass();
      await age();
      await copyRow();
      for (const each of [database, clone]) await expireNonce(each);
      const sweepers = [collector, start(clone)];
      if (first === 'the clone') sweepers.reverse();
      await sweepers[0]!.pass();
      // The clone has no rows of them.
      const referenced = await addReferenced(10);
      for (const each of sweepers.toReversed()) await each.pass();
      expect(await storage.marker()).toMatch(/^contested/);
      for (const each of [database, clone]) await age(each);
      for (const each of [...sweepers, ...sweepers]) await each.pass();
      for (const each of sweepers) expect([await each.kept(), await each.deleted()]).toEqual([1, 0]);
      expect(await storage.keys()).toEqual([...referenced].sort());
    },
  );

  it('are deleted again a day after the marker of a contested storage was deleted', variation, async () => {
    const referenced = await addReferenced(30);
    await pass();
    await storage.stored.writeMarker('b7b5c1f2-0000-4000-8000-000000000000\n');
    await storage.add(old());
    await age();
    await pass();
    await storage.removeMarker();
    await pass();
    expect([await storage.marker(), await kept()]).toEqual([`${(await readRow()).nonce}\n`, 0]);
    await pass();
    expect(await storage.keys()).toHaveLength(31);
    await age();
    await pass();
    expect(await storage.keys()).toEqual([...referenced].sort());
  });

  it('are deleted after a crash before or after the next nonce was written to the marker', variation, async () => {
    await pass();
    for (const written of [false, true]) {
      await age();
      await setRow('next = gen_random_uuid()');
      const { next } = await readRow();
      if (written) await storage.stored.writeMarker(`${next}\n`);
      await storage.add(old());
      await pass();
      expect([await readRow(), await storage.marker()]).toMatchObject([{ nonce: next, next: null }, `${next}\n`]);
      expect([await storage.keys(), await kept()]).toEqual([[], 0]);
    }
  });

  it('are deleted by several sweepers that replace the nonce at the same time', variation, async () => {
    await pass();
    await age();
    await storage.add(old());
    await expireNonce();
    const sweepers = Array.from({ length: 4 }, () => start(database));
    await Promise.all(sweepers.map((each) => each.pass()));
    expect(await Promise.all(sweepers.map((each) => each.kept()))).toEqual([0, 0, 0, 0]);
    expect(await storage.keys()).toEqual([]);
  });

  it('are kept for a day after half a day without a sweep', variation, async () => {
    await pass();
    await age();
    await setRow(`rotated_at = now() - interval '13 hours'`);
    await storage.add(old());
    await pass();
    await pass();
    expect([await storage.keys(), await kept()]).toMatchObject([{ length: 1 }, 0]);
    await age();
    await pass();
    expect(await storage.keys()).toEqual([]);
  });

  it('are kept if the marker is empty', variation, async () => {
    await pass();
    await storage.stored.writeMarker('');
    await storage.add(old());
    await age();
    await pass();
    expect([await storage.keys(), await kept()]).toMatchObject([{ length: 1 }, 1]);
    expect(await storage.marker()).toBe('');
  });

  it(
    'are kept in a storage without a marker that has too many of them, until the nonce is written to the marker',
    variation,
    async () => {
      await addReferenced(2);
      for (let n = 0; n < 9; n++) await storage.add(old());
      await pass();
      await age();
      await pass();
      expect(await storage.keys()).toHaveLength(11);
      expect([await storage.marker(), await kept()]).toEqual([undefined, 1]);
      expect(warn).toHaveBeenCalledTimes(1);
      await storage.stored.writeMarker(`${warn.mock.calls[0]![0].nonce}\n`);
      await age();
      await pass();
      expect([await storage.keys(), await kept()]).toMatchObject([{ length: 2 }, 0]);
    },
  );

  it('are kept if there are more than 20 of them, until an operator allows it', variation, async () => {
    await pass();
    await age();
    for (let n = 0; n < 21; n++) await storage.add(old());
    await pass();
    await pass();
    expect([await storage.keys(), await kept()]).toMatchObject([{ length: 21 }, 1]);
    expect(warnings()).toEqual(['too many stored files have no row']);
    await setRow(`allow_many_until = now() + interval '1 day'`);
    await pass();
    expect([await storage.keys(), await kept()]).toEqual([[], 0]);
  });

  it('are kept if the database has migrations that this program does not know', variation, async () => {
    await pass();
    await age();
    await storage.add(old());
    isSchemaKnown = false;
    await pass();
    expect([await storage.keys(), await kept()]).toMatchObject([{ length: 1 }, 1]);
    isSchemaKnown = true;
    await pass();
    expect([await storage.keys(), await kept()]).toEqual([[], 0]);
  });

  it('are kept after the database was replaced by a backup, until the marker is deleted', variation, async () => {
    const referenced = await addReferenced(10);
    await pass();
    const later = old();
    await storage.add(later);
    await database.db.query('delete from file_storage');
    collector = start(database);
    await pass();
    await age();
    await pass();
    expect(await storage.keys()).toEqual([...referenced, later].sort());
    await storage.removeMarker();
    await pass();
    await age();
    await pass();
    expect(await storage.keys()).toEqual([...referenced].sort());
  });

  it(
    'stay while a row of another database refers to them, and if the settings no longer name that database',
    variation,
    async () => {
      const referenced = await addReferenced(3);
      const [shared, orphan, later] = [old(), old(), old()];
      for (const key of [shared, orphan]) await storage.add(key);
      await clone.db.query(
        `insert into files (key, principal, size_bytes, content_type, expires_at) values ($1, 'a', 1, 'image/png', now())`,
        [shared],
      );
      collector = start(database, [clone.db]);
      await pass();
      await age();
      await pass();
      expect(await storage.keys()).toEqual([...referenced, shared].sort());

      await storage.add(later);
      collector = start(database);
      await pass();
      await age();
      await pass();
      expect(await storage.keys()).toEqual([...referenced, shared, later].sort());
      expect(warnings()).toEqual(['the files are those of more databases than the settings name']);
    },
  );
});

it('is contested if the marker of a folder cannot be read', async () => {
  const storage = await inFolder();
  await mkdir(join(storage.root, 'files', MARKER), { recursive: true });
  await database.db.query('delete from file_storage');
  const { problem } = await claimStorage({
    ...database,
    ...storage,
    graceMs: DAY_MS,
    databaseCount: 1,
    isOwn: async () => true,
  });
  expect(problem).toBe('the marker of the file storage cannot be read');
  await storage.close();
});

it('compares the migrations of the database with those of the program', async () => {
  const known = await readMigrations(new URL('../../migrations/', import.meta.url));
  expect(await knowsMigrations(database.db, known)).toBe(true);
  expect(await knowsMigrations(database.db, known.slice(0, -1))).toBe(false);
});

it('reads the time of a key', () => {
  expect(keyTime(newId('', 1_767_225_600_123))).toBe(1_767_225_600_123);
});
