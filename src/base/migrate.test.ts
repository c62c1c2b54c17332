import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Db, openDb } from './db.ts';
import { createLog } from './log.ts';
import { migrate } from './migrate.ts';
import { emptyDatabase, type TestDatabase } from './testing/database.ts';

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

test('migrations are applied in order, once, and remembered', async () => {
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

test('several processes may do it at once: each file is applied once', async () => {
  for (const n of [1, 2, 3]) await file(`000${n}_table.sql`, `create table t${n} (n int);`);
  const done = await Promise.all([migrate(db, folder), migrate(db, folder), migrate(db, folder)]);
  expect(done.flat().sort()).toEqual(['0001_table.sql', '0002_table.sql', '0003_table.sql']);
});

test('a migration that fails leaves nothing behind, and keeps what was before it', async () => {
  await file('0001_good.sql', 'create table good (n int);');
  await file('0002_bad.sql', 'create table half (n int);\nselect 1 / 0;');
  await expect(migrate(db, folder)).rejects.toThrow(/The migration 0002_bad.sql failed: .*division by zero/);
  expect(await tables()).toEqual(['good', 'schema_migrations']);
  await file('0002_bad.sql', 'create table whole (n int);');
  expect(await migrate(db, folder)).toEqual(['0002_bad.sql']);
});

test('a file that was changed after it had been applied stops the start; turned line ends are no change', async () => {
  await file('0001_first.sql', 'create table first (\nn int);\n');
  await migrate(db, folder);
  await file('0001_first.sql', 'create table first (\r\nn int);\r\n');
  expect(await migrate(db, folder)).toEqual([]);
  await file('0001_first.sql', 'create table first (m int);\n');
  await expect(migrate(db, folder)).rejects.toThrow(/0001_first.sql was changed after it had been applied/);
});

test('a database newer than the program stops the start', async () => {
  await file('0001_first.sql', 'select 1;');
  await file('0002_second.sql', 'select 1;');
  await migrate(db, folder);
  await rm(join(folder, '0002_second.sql'));
  await expect(migrate(db, folder)).rejects.toThrow(/newer than this program: it has the migration 0002_second.sql/);
});

test('a migration that comes after its turn stops the start', async () => {
  await file('0002_second.sql', 'select 1;');
  await migrate(db, folder);
  await file('0001_first.sql', 'select 1;');
  await expect(migrate(db, folder)).rejects.toThrow(/0001_first.sql comes too late: .* has 0002_second.sql/);
});

test('a name without a number, or a number given twice, stops the start', async () => {
  await file('first.sql', 'select 1;');
  await expect(migrate(db, folder)).rejects.toThrow(/first.sql must be called like 0001_what_it_does.sql/);
  await rm(join(folder, 'first.sql'));
  await file('0001_one.sql', 'select 1;');
  await file('0001_other.sql', 'select 1;');
  await expect(migrate(db, folder)).rejects.toThrow(/Two migrations have the number 1/);
});

test('a long migration is not ended by the limit for ordinary statements', async () => {
  const hurried = openDb({ url: database.url, log: createLog('silent', 'test'), statementTimeoutMs: 100 });
  await file('0001_slow.sql', 'select pg_sleep(0.3);');
  expect(await migrate(hurried, folder).finally(() => hurried.close())).toEqual(['0001_slow.sql']);
});

test('a server older than 15 stops the start', async () => {
  const old = {
    ...db,
    query: (async () => ({ rows: [{ number: 140_011, version: '14.11' }], rowCount: 1 })) as Db['query'],
  };
  await expect(migrate(old, folder)).rejects.toThrow('This PostgreSQL is 14.11; Assay needs 15 or newer.');
});
