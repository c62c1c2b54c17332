import { randomBytes } from 'node:crypto';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { emptyDatabase } from '../../../test/support/database.ts';
import type { Db } from '../db.ts';
import { trackOutcome } from '../db-errors.ts';
import { createFolderFiles } from '../files.ts';
import { migrate } from '../migrate.ts';
import { readMigrations } from '../migration-files.ts';
import { readArchive } from './archive-reader.ts';
import { createArchiveWriter } from './archive-writer.ts';
import { type BackupContents, type BackupSources, createBackup } from './create-backup.ts';
import { createFileSnapshot } from './file-snapshot.ts';
import { restoreBackup } from './restore-backup.ts';
import { verifyBackup } from './verify.ts';

const SCHEMA = {
  '0001_things.sql': `
    create table things (
      id    text   primary key,
      file  text,
      size  int    generated always as (length(id)) stored,
      data  json,
      raw   bytea,
      at    timestamptz not null default now()
    );
    create table things_log (serial bigint generated always as identity primary key, thing text not null references things (id));
    create function things_logged() returns trigger language plpgsql as $$
    begin
      insert into things_log (thing) values (new.id);
      return null;
    end $$;
    create trigger logged after insert on things for each row execute function things_logged();`,
  '0002_colours.sql': `
    alter table things_log rename to logs; create table colours (name text primary key);
    create or replace function things_logged() returns trigger language plpgsql as $$
    begin
      insert into logs (thing) values (new.id);
      return null;
    end $$;`,
};
const CONTENTS: BackupContents = {
  folders: ['keys', 'models/defectoscopy'],
  fileColumns: [{ table: 'things', column: 'file' }],
  transientTables: [],
  startTables: [],
};

let folder: string;
let schema: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-backup-'));
  schema = join(folder, 'migrations');
  await mkdir(schema);
  for (const [name, sql] of Object.entries(SCHEMA)) await writeFile(join(schema, name), sql);
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
});

async function place(name: string, { migrated = schema as string | null } = {}) {
  const database = await emptyDatabase();
  onTestFinished(() => database.drop());
  if (migrated) await migrate(database.db, migrated);
  const dataDir = join(folder, name);
  await mkdir(dataDir);
  return { db: database.db, dataDir, files: createFolderFiles({ dir: join(dataDir, 'files') }) };
}

const sources = async (at: { db: Db; dataDir: string }): Promise<BackupSources> => ({
  ...at,
  migrations: await readMigrations(schema),
  version: '1.2.3',
  contents: CONTENTS,
  onPart: () => {},
});

async function backup(
  from: BackupSources,
): Promise<{ bytes: Buffer; taken: Awaited<ReturnType<typeof createBackup>> }> {
  const parts: Buffer[] = [];
  const archive = createArchiveWriter(async (piece) => void parts.push(piece));
  const taken = await createBackup(archive, from);
  await archive.finish();
  return { bytes: Buffer.concat(parts), taken };
}

async function* all(bytes: Buffer) {
  yield bytes;
}

async function restore(bytes: Buffer, to: { db: Db; dataDir: string }, { replace = false } = {}) {
  const migrations = await readMigrations(schema);
  const what = await verifyBackup(all(bytes), { name: 'it', migrations, onBytes: () => {} });
  return restoreBackup(readArchive(all(bytes)), what, {
    ...to,
    migrations,
    contents: CONTENTS,
    replace,
    onPart: () => {},
    complete: async () => {},
  });
}

/** All rows of these tables as text. */
async function everything(db: Db, tables = ['things', 'logs', 'colours']) {
  const found: Record<string, unknown> = {};
  for (const table of tables) {
    found[table] = (await db.query(`select ctid::text is not null, t::text as row from ${table} t order by 2`)).rows;
  }
  return found;
}

const put = (db: Db, id: string, more: { file?: string; data?: string; raw?: Buffer } = {}) =>
  db.query('insert into things (id, file, data, raw) values ($1, $2, $3, $4)', [
    id,
    more.file ?? null,
    more.data ?? null,
    more.raw ?? null,
  ]);

describe('createBackup', () => {
  test('stores every value, file, key and sequence so that a restore reproduces them', async () => {
    const from = await place('from');
    const file = await from.files.put(randomBytes(3_000_000), { maxBytes: 1e7 });
    await put(from.db, 'tab\there, line\nthere, \\N and \\. and "quotes"', {
      file: file.key,
      data: '{"a" : 1, "a":2}',
    });
    await put(from.db, 'Ёлка 🎄', { data: '{"n": 1e400, "z": "\\u0000"}', raw: Buffer.from([0, 1, 255, 92]) });
    await put(from.db, '');
    await mkdir(join(from.dataDir, 'keys'));
    await writeFile(join(from.dataDir, 'keys', 'sealing.key'), 'secret\n');
    await mkdir(join(from.dataDir, 'models', 'defectoscopy', 'own-2'), { recursive: true });
    await writeFile(join(from.dataDir, 'models', 'defectoscopy', 'own-2', 'heads.json'), '[]');

    const { bytes, taken } = await backup(await sources(from));
    expect(taken).toMatchObject({ files: 1, missing: [] });
    const to = await place('to', { migrated: null });
    const done = await restore(bytes, to);
    expect(done).toMatchObject({ files: 1, migrated: [] });
    expect([...done.rows]).toEqual([
      ['things', 3],
      ['logs', 3],
    ]);
    expect(await everything(to.db)).toEqual(await everything(from.db));
    expect((await to.files.get(file.key))!.equals((await from.files.get(file.key))!)).toBe(true);
    expect(await readFile(join(to.dataDir, 'keys', 'sealing.key'), 'utf8')).toBe('secret\n');
    expect(await readFile(join(to.dataDir, 'models/defectoscopy/own-2/heads.json'), 'utf8')).toBe('[]');
    // Triggers do not fire during the restore, but fire afterwards, with an unused number.
    await put(to.db, 'new');
    const { rows } = await to.db.query('select serial, thing from logs order by serial desc limit 1');
    expect(rows).toEqual([{ serial: 4, thing: 'new' }]);
    expect((await readdir(join(to.dataDir, 'files'))).filter((name) => name.startsWith('.'))).toEqual([]);
    expect((await readdir(join(from.dataDir, 'files'))).filter((name) => name.startsWith('backup-'))).toEqual([]);
  });

  test('follows symbolic links and rejects names that are not portable', async () => {
    const from = await place('from');
    // Like a secret mounted into a container.
    await mkdir(join(from.dataDir, 'keys', '..data'), { recursive: true });
    await writeFile(join(from.dataDir, 'keys', '..data', 'sealing.key'), 'secret');
    await symlink('..data/sealing.key', join(from.dataDir, 'keys', 'sealing.key'));
    await symlink('nowhere', join(from.dataDir, 'keys', 'gone.key'));
    // Left by a killed restore.
    await mkdir(join(from.dataDir, 'keys', '.replaced-01M7VNMBZ6GNKDZ9WQFF487680'));
    await writeFile(join(from.dataDir, 'keys', '.replaced-01M7VNMBZ6GNKDZ9WQFF487680', 'old.key'), 'old');
    const { bytes } = await backup(await sources(from));
    const to = await place('to', { migrated: null });
    await restore(bytes, to);
    expect(await readFile(join(to.dataDir, 'keys', 'sealing.key'), 'utf8')).toBe('secret');
    expect((await readdir(join(to.dataDir, 'keys'))).sort()).toEqual(['..data', 'sealing.key']);

    for (const name of ['heads: new.json', 'x'.repeat(90)]) {
      await mkdir(join(from.dataDir, 'models', 'defectoscopy'), { recursive: true });
      const path = join(from.dataDir, 'models', 'defectoscopy', name);
      await writeFile(path, '[]');
      await expect(backup(await sources(from))).rejects.toThrow(`${path} cannot be in a backup`);
      await rm(path);
    }
  });

  test('writes a large table in several parts', async () => {
    const from = await place('from');
    // Several parts of small rows, and one row larger than a part.
    await from.db.query(
      `insert into things (id, data)
       select 'small' || n, to_json(repeat(md5(n::text), 40)) from generate_series(1, 8000) n`,
    );
    await put(from.db, 'huge', { raw: randomBytes(5_000_000) });
    const { bytes } = await backup(await sources(from));
    const parts: string[] = [];
    for await (const { name, size } of readArchive(all(bytes))) {
      if (name.startsWith('tables/things/')) parts.push(name);
      expect(size).toBeLessThan(12_000_000);
    }
    expect(parts.length).toBeGreaterThan(1);
    const to = await place('to', { migrated: null });
    await restore(bytes, to);
    const digest = async (db: Db) =>
      (await db.query(`select md5(string_agg(t::text, ',' order by id)), count(*) from things t`)).rows;
    expect(await digest(to.db)).toEqual(await digest(from.db));
  });

  test('excludes rows that are added during the backup and includes files that are deleted during it', async () => {
    const from = await place('from');
    const early = await from.files.put(Buffer.from('early'), { maxBytes: 100 });
    await put(from.db, 'early', { file: early.key });
    let struck = false;
    const { bytes } = await backup({
      ...(await sources(from)),
      onPart: (part) => {
        if (struck || !part.startsWith('table')) return;
        struck = true;
        // While tables are written: the store deletes this file before the backup reads it.
        void from.files.remove(early.key);
        void from.db.query(`insert into things (id) values ('late')`);
      },
    });
    expect(struck).toBe(true);
    const to = await place('to', { migrated: null });
    await restore(bytes, to);
    expect((await to.db.query('select id from things')).rows).toEqual([{ id: 'early' }]);
    expect(await to.files.get(early.key)).toEqual(Buffer.from('early'));
  });

  test('repeats the snapshot if a file was just deleted, and reports files that were missing before', async () => {
    const from = await place('from');
    await put(from.db, 'lost', { file: '01M7VNMBZ6GNKDZ9WQFF487680' });
    const { db } = from;
    let moments = 0;
    const removing: Db = {
      ...db,
      transaction: async (run, options) => {
        moments++;
        // The row appears after the first file snapshot; its file is deleted before the second one.
        if (moments === 1) await put(db, 'brief', { file: '01M7VNMBZ6GNKDZ9WQFF487681' });
        return db.transaction(run, options).finally(() => db.query(`update things set file = null where id = 'brief'`));
      },
    };
    const { taken } = await backup(await sources({ ...from, db: removing }));
    expect(moments).toBe(2);
    expect(taken.missing).toEqual(['01M7VNMBZ6GNKDZ9WQFF487680']);
  });
});

describe('createFileSnapshot', () => {
  test('keeps the snapshot of a backup that has run for days, and fails if its files are gone', async () => {
    const from = await place('from');
    const dir = join(from.dataDir, 'files');
    const { key } = await from.files.put(Buffer.from('one'), { maxBytes: 100 });
    const snapshot = await createFileSnapshot(dir);
    await snapshot.capture();
    const [name] = (await readdir(dir)).filter((each) => each.startsWith('backup-'));
    const began = new Date(Date.now() - 6 * 86_400_000);
    await utimes(join(dir, name!), began, began);
    const other = await createFileSnapshot(dir);
    const namesOf = async () => {
      const names: string[] = [];
      for await (const each of snapshot.names()) names.push(each);
      return names;
    };
    expect(await namesOf()).toEqual([expect.stringContaining(key)]);
    await snapshot.release();
    await expect(namesOf()).rejects.toThrow('ENOENT');
    await other.release();
  });
});

describe('restoreBackup', () => {
  test('rejects a target with data, and replaces the data with `replace`', async () => {
    const from = await place('from');
    await put(from.db, 'one');
    const { bytes } = await backup(await sources(from));

    const to = await place('to');
    await put(to.db, 'mine');
    const mine = await to.files.put(Buffer.from('mine'), { maxBytes: 100 });
    const before = await everything(to.db);
    await expect(restore(bytes, to)).rejects.toThrow(
      `The target is not empty. Delete the existing data with --replace, or restore into an empty target. There is data in the table things, the table logs, ${join(to.dataDir, 'files')}.`,
    );
    expect(await everything(to.db)).toEqual(before);
    expect(await to.files.get(mine.key)).toEqual(Buffer.from('mine'));

    await restore(bytes, to, { replace: true });
    expect(await everything(to.db)).toEqual(await everything(from.db));
    expect(await to.files.get(mine.key)).toBeUndefined();
  });

  test('overwrites the files of a killed restore without `replace`, but not the files that it had replaced', async () => {
    const from = await place('from');
    await put(from.db, 'one', { file: (await from.files.put(Buffer.from('one'), { maxBytes: 100 })).key });
    const { bytes } = await backup(await sources(from));
    const to = await place('to', { migrated: null });
    const half = join(to.dataDir, 'files', '.restored-01M7VNMBZ6GNKDZ9WQFF487680', '80');
    await mkdir(half, { recursive: true });
    await writeFile(join(half, '01M7VNMBZ6GNKDZ9WQFF487680'), 'half');
    await restore(bytes, to);
    expect((await readdir(join(to.dataDir, 'files'))).filter((name) => name.startsWith('.'))).toEqual([]);
    // Replaced files that were not deleted yet are original data.
    const aside = join(to.dataDir, 'keys', '.replaced-01M7VNMBZ6GNKDZ9WQFF487680');
    await mkdir(aside, { recursive: true });
    await writeFile(join(aside, 'sealing.key'), 'mine');
    const empty = await place('empty', { migrated: null });
    await expect(restore(bytes, { ...empty, dataDir: to.dataDir })).rejects.toThrow(join(to.dataDir, 'keys'));
  });

  test('changes nothing if the commit fails', async () => {
    const from = await place('from');
    await put(from.db, 'one', { file: (await from.files.put(Buffer.from('one'), { maxBytes: 100 })).key });
    const { bytes } = await backup(await sources(from));
    const to = await place('to');
    await put(to.db, 'mine');
    const mine = await to.files.put(Buffer.from('mine'), { maxBytes: 100 });
    const before = await everything(to.db);
    const failing: Db = {
      ...to.db,
      transaction: (run, options) =>
        to.db.transaction(async (tx) => {
          await run(tx);
          throw new Error('no commit');
        }, options),
    };
    await expect(restore(bytes, { ...to, db: failing }, { replace: true })).rejects.toThrow('no commit');
    expect(await everything(to.db)).toEqual(before);
    expect(await to.files.get(mine.key)).toEqual(Buffer.from('mine'));
    expect((await readdir(join(to.dataDir, 'files'))).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  test('keeps the restored files if the connection is lost after the commit', async () => {
    const from = await place('from');
    const one = await from.files.put(Buffer.from('one'), { maxBytes: 100 });
    await put(from.db, 'one', { file: one.key });
    const { bytes } = await backup(await sources(from));
    const to = await place('to', { migrated: null });
    const losing: Db = {
      ...to.db,
      transaction: async (run, options) => {
        await to.db.transaction(run, options);
        return trackOutcome(Promise.reject(Object.assign(new Error('connection lost'), { code: 'ECONNRESET' })));
      },
    };
    expect(await restore(bytes, { ...to, db: losing })).toMatchObject({ files: 1 });
    expect(await everything(to.db)).toEqual(await everything(from.db));
    expect(await to.files.get(one.key)).toEqual(Buffer.from('one'));
  });

  test('undoes the files if the connection is lost before the commit', async () => {
    const from = await place('from');
    await put(from.db, 'one', { file: (await from.files.put(Buffer.from('one'), { maxBytes: 100 })).key });
    const { bytes } = await backup(await sources(from));
    const to = await place('to');
    const mine = await to.files.put(Buffer.from('mine'), { maxBytes: 100 });
    const losing: Db = {
      ...to.db,
      transaction: (run, options) =>
        trackOutcome(
          to.db.transaction(async (tx) => {
            await run(tx);
            throw Object.assign(new Error('connection lost'), { code: 'ECONNRESET' });
          }, options),
        ),
    };
    await expect(restore(bytes, { ...to, db: losing }, { replace: true })).rejects.toThrow('connection lost');
    expect(await to.files.get(mine.key)).toEqual(Buffer.from('mine'));
  });

  test('migrates a backup of an earlier version', async () => {
    const earlier = join(folder, 'earlier');
    await cp(schema, earlier, { recursive: true });
    await rm(join(earlier, '0002_colours.sql'));
    const from = await place('from', { migrated: earlier });
    await put(from.db, 'old');
    const { bytes } = await backup(await sources(from));
    // Into an empty database, over this version, and over the earlier version.
    for (const [name, migrated] of [
      ['nothing', null],
      ['this', schema],
      ['that', earlier],
    ] as const) {
      const to = await place(name, { migrated });
      const done = await restore(bytes, to, { replace: true });
      expect(done.migrated).toEqual(['0002_colours.sql']);
      expect(await everything(to.db)).toMatchObject({ things: [{}], logs: [{}], colours: [] });
    }
  });

  test('rejects a backup of a later version or of another migration history', async () => {
    const from = await place('from');
    const { bytes } = await backup(await sources(from));
    const to = await place('to', { migrated: null });
    await rm(join(schema, '0002_colours.sql'));
    await expect(restore(bytes, to)).rejects.toThrow(
      'The backup is newer than this program: it has the unknown migration 0002_colours.sql. Restore it with Assay 1.2.3 or newer.',
    );
    await writeFile(join(schema, '0002_colours.sql'), 'select 1');
    await expect(restore(bytes, to)).rejects.toThrow(/0002_colours\.sql was changed/);
    expect((await to.db.query(`select to_regclass('things') as there`)).rows).toEqual([{ there: null }]);
  });

  test('rejects a damaged backup and a file that is not a backup, without changes', async () => {
    const from = await place('from');
    const { bytes } = await backup(await sources(from));
    const to = await place('to', { migrated: null });
    await expect(restore(Buffer.from('PK\x03\x04 a letter'), to)).rejects.toThrow('it is not a backup of Assay');
    bytes[bytes.length >> 1]! ^= 1;
    await expect(restore(bytes, to)).rejects.toThrow(/The backup it is damaged: .*Nothing was changed/);
  });
});
