import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Db, Queryable } from './db.ts';
import { OperatorError } from './operator-error.ts';

export interface Migration {
  version: number;
  name: string;
  checksum: string;
  sql: string;
}

const OLDEST_SERVER = 150_000;
// An index over a large table takes as long as it takes, and a second process waits for the first one's lock.
const HOUR_MS = 3_600_000;
// Any number will do, as long as nobody else in this database takes it.
const LOCK = 4_027_431_907;

/**
 * Brings the database to the schema that this code was written for, and returns the names of what it applied. Forward
 * only; several processes may do it at once; each file is applied whole or not at all.
 */
export async function migrate(db: Db, folder: string | URL): Promise<string[]> {
  const migrations = await readMigrations(folder);
  await checkServer(db);
  const missing = await locked(db, async (tx) => {
    await openHistory(tx);
    return pending(migrations, await applied(tx));
  });
  const done: string[] = [];
  for (const migration of missing) {
    const mine = await locked(db, async (tx) => {
      if (pending([migration], await applied(tx, migration.version)).length === 0) return false; // another process did it
      await apply(tx, migration);
      return true;
    });
    if (mine) done.push(migration.name);
  }
  return done;
}

/** The same for those of `migrations` that are missing, inside a transaction of the caller's: with it they come or not. */
export async function migrateWithin(tx: Queryable, migrations: Migration[]): Promise<string[]> {
  await tx.query('select pg_advisory_xact_lock($1)', [LOCK]);
  await openHistory(tx);
  const missing = pending(migrations, await applied(tx));
  for (const migration of missing) await apply(tx, migration);
  return missing.map(({ name }) => name);
}

/** The files `NNNN_name.sql` of a folder, in order. */
export async function readMigrations(folder: string | URL): Promise<Migration[]> {
  const path = folder instanceof URL ? fileURLToPath(folder) : folder;
  const names = (await readdir(path)).filter((name) => name.endsWith('.sql')).sort();
  const migrations: Migration[] = [];
  for (const name of names) {
    const version = Number(/^(\d{4})_[a-z0-9_]+\.sql$/.exec(name)?.[1]);
    if (!version) throw new OperatorError(`The migration ${name} must be called like 0001_what_it_does.sql.`);
    if (version === migrations.at(-1)?.version) throw new OperatorError(`Two migrations have the number ${version}.`);
    // A checkout on Windows may have turned the line ends; that is the same migration.
    const sql = (await readFile(join(path, name), 'utf8')).replaceAll('\r\n', '\n');
    migrations.push({ version, name, checksum: createHash('sha256').update(sql).digest('hex'), sql });
  }
  return migrations;
}

const CREATE = `
  create table if not exists schema_migrations (
    version    int         primary key,
    name       text        not null,
    checksum   text        not null,
    applied_at timestamptz not null default now()
  )`;

export type Applied = Pick<Migration, 'version' | 'name' | 'checksum'>;

async function openHistory(tx: Queryable): Promise<void> {
  // Asked first, since even "create table if not exists" needs rights that a running service may have lost.
  const { rows } = await tx.query<{ there: boolean }>(`select to_regclass('schema_migrations') is not null as there`);
  if (!rows[0]?.there) await tx.query(CREATE);
}

async function apply(tx: Queryable, { version, name, checksum, sql }: Migration): Promise<void> {
  await tx.query(sql).catch((error: unknown) => {
    throw new OperatorError(`The migration ${name} failed: ${String(error)}`, { cause: error });
  });
  await tx.query('insert into schema_migrations (version, name, checksum) values ($1, $2, $3)', [
    version,
    name,
    checksum,
  ]);
}

/** What is still to be applied, or a sentence about why this code and this database do not belong together. */
export function pending(migrations: Migration[], done: Applied[]): Migration[] {
  for (const was of done) {
    const is = migrations.find(({ version }) => version === was.version);
    if (!is) {
      throw new OperatorError(
        `The database is newer than this program: it has the migration ${was.name}, which is not known here. ` +
          'Start the version that made it, or a later one.',
      );
    }
    if (is.checksum !== was.checksum) {
      throw new OperatorError(
        `The migration ${is.name} was changed after it had been applied to this database. ` +
          'Restore the file, and write what should change into a new one.',
      );
    }
  }
  const newest = done.at(-1);
  const missing = migrations.filter(({ version }) => !done.some((was) => was.version === version));
  const late = missing.find(({ version }) => newest !== undefined && version < newest.version);
  if (late) {
    throw new OperatorError(
      `The migration ${late.name} comes too late: the database already has ${newest?.name}. Give it a later number.`,
    );
  }
  return missing;
}

/** What a database has had. */
export async function applied(tx: Queryable, version?: number): Promise<Applied[]> {
  const { rows } = await tx.query<Applied>(
    `select version, name, checksum
       from schema_migrations
      where $1::int is null or version = $1
      order by version`,
    [version ?? null],
  );
  return rows;
}

async function locked<T>(db: Db, run: (tx: Queryable) => Promise<T>): Promise<T> {
  return db.transaction(
    async (tx) => {
      await tx.query('select pg_advisory_xact_lock($1)', [LOCK]);
      return run(tx);
    },
    { statementTimeoutMs: HOUR_MS },
  );
}

async function checkServer(db: Db): Promise<void> {
  const { rows } = await db.query<{ number: number; version: string }>(
    `select current_setting('server_version_num')::int as number, current_setting('server_version') as version`,
  );
  const server = rows[0];
  if (server && server.number < OLDEST_SERVER) {
    throw new OperatorError(`This PostgreSQL is ${server.version}; Assay needs 15 or newer.`);
  }
}
