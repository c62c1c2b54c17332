import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, test, vi } from 'vitest';
import { emptyDatabase, type TestDatabase } from '../../test/support/database.ts';
import { type Db, openDb } from './db.ts';
import { createLog } from './log.ts';
import { isMigrated, migrate, migrateWithin } from './migrate.ts';
import { readMigrations } from './migration-files.ts';

let database: TestDatabase;
let db: Db;
let folder: string;

beforeEach(async () => {
  database = await emptyDatabase();
  db = database.db;
  folder = await mkdtemp(join(tmpdir(), 'assay-migrations-'));
});
afterEach(async () => {
  await database.drop();
  await rm(folder, { recursive: true });
});

const file = (name: string, sql: string) => writeFile(join(folder, name), sql);

const tables = async () => {
  const { rows } = await db.query<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'public' order by tablename`,
  );
  return rows.map(({ name }) => name);
};

test('migrate applies migrations in order, once, and records them', async () => {
  await file('0002_more.sql', 'alter table first add column more int;\ncreate table second (n int);');
  await file('0001_first.sql', 'create table first (n int);');
  await file('README.md', 'not a migration');
  expect(await migrate(db, pathToFileURL(`${folder}/`))).toEqual(['0001_first.sql', '0002_more.sql']);
  expect(await migrate(db, folder)).toEqual([]);
  await file('0003_last.sql', 'create table third (n int);');
  expect(await migrate(db, folder)).toEqual(['0003_last.sql']);
  expect(await tables()).toEqual(['first', 'schema_migrations', 'second', 'third']);
  const { rows } = await db.query('select version, name, applied_at from schema_migrations order by version');
  expect(rows[2]).toEqual({ version: 3, name: '0003_last.sql', applied_at: expect.any(Date) });
});

test('migrate applies each file once if several processes run it concurrently', async () => {
  for (const n of [1, 2, 3]) await file(`000${n}_table.sql`, `create table t${n} (n int);`);
  const done = await Promise.all([migrate(db, folder), migrate(db, folder), migrate(db, folder)]);
  expect(done.flat().sort()).toEqual(['0001_table.sql', '0002_table.sql', '0003_table.sql']);
});

test('migrate rolls back a failed migration and keeps the earlier ones', async () => {
  await file('0001_good.sql', 'create table good (n int);');
  await file('0002_bad.sql', 'create table half (n int);\nselect 1 / 0;');
  await expect(migrate(db, folder)).rejects.toThrow(/The migration 0002_bad.sql failed: .*division by zero/);
  expect(await tables()).toEqual(['good', 'schema_migrations']);
  await file('0002_bad.sql', 'create table whole (n int);');
  expect(await migrate(db, folder)).toEqual(['0002_bad.sql']);
});

test('migrate rejects a changed migration file, but ignores different line ends', async () => {
  await file('0001_first.sql', 'create table first (\nn int);\n');
  await migrate(db, folder);
  await file('0001_first.sql', 'create table first (\r\nn int);\r\n');
  expect(await migrate(db, folder)).toEqual([]);
  await file('0001_first.sql', 'create table first (m int);\n');
  await expect(migrate(db, folder)).rejects.toThrow(/0001_first.sql was changed after it had been applied/);
});

test('migrate rejects a database that is newer than the program', async () => {
  await file('0001_first.sql', 'select 1;');
  await file('0002_second.sql', 'select 1;');
  await migrate(db, folder);
  await rm(join(folder, '0002_second.sql'));
  await expect(migrate(db, folder)).rejects.toThrow(
    /newer than this program: it has the unknown migration 0002_second.sql/,
  );
});

test('migrate rejects a migration that is out of order', async () => {
  await file('0002_second.sql', 'select 1;');
  await migrate(db, folder);
  await file('0001_first.sql', 'select 1;');
  await expect(migrate(db, folder)).rejects.toThrow(/0001_first.sql is out of order: .* has 0002_second.sql/);
});

test('migrate rejects a file without a number and a duplicate number', async () => {
  await file('first.sql', 'select 1;');
  await expect(migrate(db, folder)).rejects.toThrow(/first.sql must be named like 0001_what_it_does.sql/);
  await rm(join(folder, 'first.sql'));
  await file('0001_one.sql', 'select 1;');
  await file('0001_other.sql', 'select 1;');
  await expect(migrate(db, folder)).rejects.toThrow(/Two migrations have the number 1/);
});

test('migrate does not apply the ordinary statement timeout to a long migration', async () => {
  const hurried = openDb({ url: database.url, log: createLog('silent', 'test'), statementTimeoutMs: 100 });
  await file('0001_slow.sql', 'select pg_sleep(0.3);');
  expect(await migrate(hurried, folder).finally(() => hurried.close())).toEqual(['0001_slow.sql']);
});

describe('a migration that is blocked by other sessions', () => {
  let letGo = () => {};
  let over: Promise<unknown> = Promise.resolve();
  afterEach(async () => {
    letGo();
    await over.catch(() => {});
  });

  /** Locks the table `first` in a transaction, like a forgotten psql, until it is released. */
  async function holdFirst() {
    const released = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await new Promise<void>((held) => {
      over = db.transaction(async (tx) => {
        await tx.query('set transaction isolation level repeatable read');
        await tx.query('select from first');
        held();
        await released;
      });
    });
  }

  it('blocks other sessions only for its lock timeout, and is applied when the lock is free', {
    tags: ['full'],
    timeout: 60_000,
  }, async () => {
    await file('0001_first.sql', 'create table first (n int);');
    await migrate(db, folder);
    await file('0002_more.sql', '-- additive\nalter table first add column more int;');
    await holdFirst();
    const migrating = migrate(db, folder);
    const waits: number[] = [];
    for (const end = performance.now() + 5_000; performance.now() < end; ) {
      const since = performance.now();
      await db.query({ name: 'insert', text: 'insert into first values (1)', limitMs: 5_000 });
      waits.push(performance.now() - since);
    }
    // Waited only for the lock timeout of the migration (2 s).
    expect(Math.max(...waits)).toBeGreaterThan(500);
    expect(Math.max(...waits)).toBeLessThan(4_000);
    letGo();
    expect(await migrating).toEqual(['0002_more.sql']);
  });

  it('fails with a message that names the blocking session if the lock is never free', {
    tags: ['full'],
    timeout: 60_000,
  }, async () => {
    await file('0001_first.sql', 'create table first (n int);');
    await migrate(db, folder);
    await file('0002_more.sql', 'alter table first add column more int;');
    await holdFirst();
    await expect(migrate(db, folder, { lockTimeoutMs: 1_000 })).rejects.toThrow(
      /^The migration 0002_more.sql did not get the required locks within 1 s\. The oldest transaction belongs to process \d+ \(test\), \d+ s old\.$/,
    );
    expect(await isMigrated(db, await readMigrations(folder))).toBe(false);
  });

  it('stops when the signal aborts', { tags: ['full'], timeout: 60_000 }, async () => {
    await file('0001_first.sql', 'create table first (n int);');
    await migrate(db, folder);
    await file('0002_more.sql', 'alter table first add column more int;');
    await holdFirst();
    expect(await migrate(db, folder, { signal: AbortSignal.timeout(500) })).toEqual([]);
  });
});

describe('a migration that declares "no transaction"', () => {
  const INDEX = '-- additive\n-- no transaction\n-- Why.\ncreate index concurrently first_n\n  on first (n);\n';
  const valid = async () =>
    (await db.query(`select indisvalid as valid from pg_index where indexrelid = to_regclass('first_n')`)).rows;

  beforeEach(async () => {
    await file('0001_first.sql', 'create table first (n int);');
    await migrate(db, folder);
    await file('0002_index.sql', INDEX);
  });

  it('builds its index during writes, also if several processes migrate concurrently', async () => {
    let begun = () => {};
    const isWriting = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const writing = db.transaction(async (tx) => {
      await tx.query('insert into first values (1)');
      begun();
      await vi.waitFor(async () => expect(await valid()).toEqual([{ valid: false }]), { timeout: 20_000 });
      // The build waits for this transaction; other writers do not wait for the build.
      await db.query({ name: 'insert', text: 'insert into first values (2)', limitMs: 5_000 });
    });
    await isWriting;
    const done = await Promise.all([writing, migrate(db, folder), migrate(db, folder), migrate(db, folder)]);
    expect(done.flat().filter(Boolean)).toEqual(['0002_index.sql']);
    expect(await valid()).toEqual([{ valid: true }]);
  });

  it('drops the invalid index of an interrupted build and builds it again', async () => {
    await db.query('insert into first values (1), (1)');
    // A failed build of a unique index leaves an invalid index.
    await expect(
      db.runOutsideTransaction('create unique index concurrently first_n on first (n)', { statementTimeoutMs: 10_000 }),
    ).rejects.toThrow(/could not create unique index/);
    expect(await valid()).toEqual([{ valid: false }]);
    expect(await migrate(db, folder)).toEqual(['0002_index.sql']);
    expect(await valid()).toEqual([{ valid: true }]);
  });

  it('waits for a build that continues after its process has died, and keeps its index', {
    tags: ['full'],
    timeout: 60_000,
  }, async () => {
    const other = openDb({ url: database.url, log: createLog('silent', 'test') });
    let finish = () => {};
    let writing: Promise<void> = Promise.resolve();
    await new Promise<void>((inserted) => {
      writing = db.transaction(async (tx) => {
        await tx.query('insert into first values (1)');
        await new Promise<void>((resolve) => {
          finish = resolve;
          inserted();
        });
      });
    });
    const building = other.runOutsideTransaction('create index concurrently first_n on first (n)', {
      statementTimeoutMs: 60_000,
    });
    await vi.waitFor(async () => expect(await valid()).toEqual([{ valid: false }]), { timeout: 20_000 });
    const { rows } = await db.query<{ oid: number }>(`select to_regclass('first_n')::oid::int as oid`);
    const migrating = migrate(db, folder);
    setTimeout(() => finish(), 1_000);
    expect(await migrating).toEqual(['0002_index.sql']);
    await Promise.all([writing, building]);
    expect((await db.query(`select to_regclass('first_n')::oid::int as oid`)).rows).toEqual(rows);
    await other.close();
  });

  it('is rejected if it contains other statements than concurrent index statements', async () => {
    await file('0002_index.sql', `${INDEX}update first set n = 1;`);
    await expect(migrate(db, folder)).rejects.toThrow(/^The migration 0002_index.sql declares "no transaction": /);
  });

  it('runs inside one transaction in migrateWithin', async () => {
    const migrations = await readMigrations(folder);
    await db.query('drop table first, schema_migrations');
    await db.transaction((tx) => migrateWithin(tx, migrations));
    expect(await valid()).toEqual([{ valid: true }]);
    expect(await migrate(db, folder)).toEqual([]);
  });
});

describe('a program on a newer schema', () => {
  const older = async () => {
    const migrations = await readMigrations(folder);
    return migrations.slice(0, 1);
  };
  const downgrade = async () => {
    const known = await older();
    for (const name of ['0002_more.sql', '0003_most.sql']) await rm(join(folder, name), { force: true });
    return known;
  };

  it('works if all newer migrations are additive', async () => {
    await file('0001_first.sql', 'create table first (n int);');
    await file('0002_more.sql', '-- additive\nalter table first add column more int;');
    await migrate(db, folder);
    const known = await downgrade();
    expect(await isMigrated(db, known)).toBe(true);
    expect(await migrate(db, folder)).toEqual([]);
  });

  it('is rejected with a message if one of them is not additive', async () => {
    await file('0001_first.sql', 'create table first (n int);');
    await file('0002_more.sql', '-- additive\nalter table first add column more int;');
    await file('0003_most.sql', 'alter table first drop column n;');
    await migrate(db, folder);
    const known = await downgrade();
    const sentence = /^The database is newer than this program: it has the unknown migration 0003_most.sql\. /;
    await expect(isMigrated(db, known)).rejects.toThrow(sentence);
    await expect(migrate(db, folder)).rejects.toThrow(sentence);
  });
});

test('migrate rejects a server older than PostgreSQL 15', async () => {
  const old = {
    ...db,
    query: (async () => ({ rows: [{ number: 140_011, version: '14.11' }], rowCount: 1 })) as Db['query'],
  };
  await expect(migrate(old, folder)).rejects.toThrow('This PostgreSQL is 14.11; Assay needs 15 or newer.');
});
