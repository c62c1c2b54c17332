import { runConcurrently } from './concurrent-index.ts';
import type { Db, Queryable } from './db.ts';
import type { Log } from './log.ts';
import { sleep } from './loop.ts';
import { type Migration, readMigrations, transactionalSql } from './migration-files.ts';
import { OperatorError } from './operator-error.ts';

const OLDEST_SERVER = 150_000;
// Building an index on a large table takes long, and other migrating processes wait for the lock.
const HOUR_MS = 3_600_000;
const LOCK = 4_027_431_907;
const POLL_INTERVAL_MS = 250;

/**
 * A migration that waits for a lock blocks all later statements on that table. Chosen: longer than `deadlock_timeout`
 * (1 s), after which PostgreSQL cancels a conflicting autovacuum, and well below the 5 s limit of accepting a task.
 */
const LOCK_TIMEOUT_MS = 2_000;
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 10_000;

/** `lock_not_available`, `deadlock_detected`, `transaction_timeout`: safe to retry. */
const LOCK_ERRORS = new Set(['55P03', '40P01', '25P04']);

export interface MigrateOptions {
  log?: Log;
  signal?: AbortSignal;
  /** Time limit of retries while other sessions hold the required locks. */
  lockTimeoutMs?: number;
}

/**
 * Applies the missing migrations, each one completely or not at all, and returns their names. Forward only; safe for
 * concurrent processes.
 */
export async function migrate(db: Db, folder: string | URL, options: MigrateOptions = {}): Promise<string[]> {
  const migrations = await readMigrations(folder);
  await checkServer(db);
  const missing = await missingFrom(db, migrations);
  const done: string[] = [];
  for (const migration of missing) {
    const outcome = await withRetries(db, migration, options);
    if (outcome === 'stopped') break;
    if (outcome === 'applied') done.push(migration.name);
  }
  return done;
}

/** Applies missing migrations inside the caller's transaction; for empty tables only. */
export async function migrateWithin(tx: Queryable, migrations: Migration[]): Promise<string[]> {
  await tx.query('select pg_advisory_xact_lock($1)', [LOCK]);
  await prepareHistory(tx);
  const missing = pendingMigrations(migrations, await readHistory(tx));
  for (const migration of missing) {
    await run(migration, () => tx.query(transactionalSql(migration)));
    await remember(tx, migration);
  }
  return missing.map(({ name }) => name);
}

/**
 * Whether the database has every migration of this program; newer additive ones are allowed. Throws an `OperatorError` if
 * program and database are incompatible.
 */
export async function isMigrated(db: Queryable, migrations: readonly Migration[]): Promise<boolean> {
  return (await missingFrom(db, migrations)).length === 0;
}

/** Whether this program has every migration of the database, additive ones included. */
export async function knowsMigrations(db: Queryable, migrations: readonly Migration[]): Promise<boolean> {
  const applied = await readHistory(db);
  return applied.every(({ version }) => migrations.some((known) => known.version === version));
}

async function missingFrom(db: Queryable, migrations: readonly Migration[]): Promise<Migration[]> {
  const done = (await hasHistory(db)) ? await readHistory(db) : [];
  return pendingMigrations(migrations, done, { newer: 'additive' });
}

/** Whether the table of the applied migrations exists. */
export async function hasHistory(db: Queryable): Promise<boolean> {
  const { rows } = await db.query<{ found: boolean }>(`select to_regclass('schema_migrations') is not null as found`);
  return rows[0]?.found ?? false;
}

export type AppliedMigration = Pick<Migration, 'version' | 'name' | 'checksum' | 'additive'>;

async function prepareHistory(tx: Queryable): Promise<void> {
  await tx.query(`
    create table if not exists schema_migrations (
      version    int         primary key,
      name       text        not null,
      checksum   text        not null,
      additive   boolean     not null,
      applied_at timestamptz not null default now()
    )`);
}

type Outcome = 'applied' | 'already' | 'stopped';

async function withRetries(db: Db, migration: Migration, options: MigrateOptions): Promise<Outcome> {
  const { log, signal, lockTimeoutMs = HOUR_MS } = options;
  const { name } = migration;
  const since = performance.now();
  for (let pauseMs = FIRST_PAUSE_MS; !signal?.aborted; ) {
    try {
      const outcome = await withMigrationLock(db, (tx) => apply(db, tx, migration));
      if (outcome === 'applied') log?.info({ migration: name }, 'applied a migration');
      if (outcome !== 'occupied') return outcome;
      await sleep(POLL_INTERVAL_MS, signal);
    } catch (error) {
      if (!LOCK_ERRORS.has(causeCode(error))) throw error;
      const session = await oldestSession(db);
      if (performance.now() - since > lockTimeoutMs) throw lockedOut(name, lockTimeoutMs, session);
      log?.warn({ migration: name, session }, 'another session holds a lock that the migration needs; retrying');
      await sleep(pauseMs, signal);
      pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS);
    }
  }
  return 'stopped';
}

const causeCode = (error: unknown) =>
  error instanceof OperatorError ? ((error.cause as { code?: string } | undefined)?.code ?? '') : '';

/**
 * Runs `work` in a transaction if no other process migrates. Does not wait for the lock: a waiting statement holds a
 * snapshot, for which the lock holder's concurrent index build would wait.
 */
async function withMigrationLock<T>(db: Db, work: (tx: Queryable) => Promise<T>): Promise<T | 'occupied'> {
  return db.transaction(
    async (tx) => {
      const { rows } = await tx.query<{ acquired: boolean }>('select pg_try_advisory_xact_lock($1) as acquired', [
        LOCK,
      ]);
      return rows[0]?.acquired ? work(tx) : 'occupied';
    },
    { statementTimeoutMs: HOUR_MS },
  );
}

async function apply(db: Db, tx: Queryable, migration: Migration): Promise<'applied' | 'already'> {
  const inTransaction = migration.indexStatements === undefined;
  await run(migration, async () => {
    if (inTransaction) await tx.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
    await prepareHistory(tx);
  });
  if (pendingMigrations([migration], await readHistory(tx, migration.version)).length === 0) return 'already';
  await run(migration, async () => {
    if (inTransaction) return void (await tx.query(migration.sql));
    // This transaction only holds the lock. A statement without parameters closes the previous portal and its snapshot,
    // for which the index build would wait.
    await tx.query('select');
    for (const each of migration.indexStatements ?? [])
      await runConcurrently(db, each, { statementTimeoutMs: HOUR_MS });
  });
  await remember(tx, migration);
  return 'applied';
}

async function run({ name }: Migration, work: () => Promise<unknown>): Promise<void> {
  await work().catch((error: unknown) => {
    throw new OperatorError(`The migration ${name} failed: ${String(error)}`, { cause: error });
  });
}

async function remember(tx: Queryable, { version, name, checksum, additive }: Migration): Promise<void> {
  await tx.query('insert into schema_migrations (version, name, checksum, additive) values ($1, $2, $3, $4)', [
    ...[version, name, checksum, additive],
  ]);
}

/**
 * The migrations still to apply; throws an `OperatorError` if program and database are incompatible. `newer`: whether the
 * database may have unknown additive migrations.
 */
export function pendingMigrations(
  migrations: readonly Migration[],
  done: readonly AppliedMigration[],
  { newer = 'none' }: { newer?: 'none' | 'additive' } = {},
): Migration[] {
  const newest = migrations.at(-1)?.version ?? 0;
  for (const was of done) {
    const is = migrations.find(({ version }) => version === was.version);
    if (!is) {
      if (newer === 'additive' && was.additive && was.version > newest) continue;
      throw new OperatorError(
        `The database is newer than this program: it has the unknown migration ${was.name}. ` +
          'Start the version that applied it, or a later one.',
      );
    }
    if (is.checksum !== was.checksum) {
      throw new OperatorError(
        `The migration ${is.name} was changed after it had been applied to this database. If the database was created by an ` +
          'unreleased version of Assay, start with an empty one; otherwise restore the file and add a new migration.',
      );
    }
  }
  const last = done.at(-1);
  const missing = migrations.filter(({ version }) => !done.some((was) => was.version === version));
  const late = missing.find(({ version }) => last !== undefined && version < last.version);
  if (late) {
    throw new OperatorError(
      `The migration ${late.name} is out of order: the database already has ${last?.name}. Give it a later number.`,
    );
  }
  return missing;
}

/** The applied migrations, in order. */
export async function readHistory(tx: Queryable, version?: number): Promise<AppliedMigration[]> {
  const { rows } = await tx.query<AppliedMigration>(
    `select version, name, checksum, additive
       from schema_migrations
      where $1::int is null or version = $1
      order by version`,
    [version ?? null],
  );
  return rows;
}

interface Session {
  pid: number;
  application: string;
  state: string | null;
  seconds: number;
}

/** The session with the oldest transaction, which usually holds the lock. */
async function oldestSession(db: Db): Promise<Session | undefined> {
  const { rows } = await db.query<Session>(
    `select pid, application_name as application, state,
            extract(epoch from clock_timestamp() - xact_start)::int as seconds
       from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null
      order by xact_start
      limit 1`,
  );
  return rows[0];
}

function lockedOut(name: string, timeoutMs: number, session: Session | undefined): OperatorError {
  const oldest = session
    ? `The oldest transaction belongs to process ${session.pid} (${session.application || 'no name'}), ${session.seconds} s old.`
    : 'This database role cannot see which transaction holds them.';
  return new OperatorError(
    `The migration ${name} did not get the required locks within ${Math.round(timeoutMs / 1000)} s. ${oldest}`,
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
