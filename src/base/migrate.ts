import { runConcurrently } from './concurrent-index.ts';
import type { Db, Queryable } from './db.ts';
import type { Log } from './log.ts';
import { rest } from './loop.ts';
import { type Migration, readMigrations, withinTransaction } from './migration-files.ts';
import { OperatorError } from './operator-error.ts';

const OLDEST_SERVER = 150_000;
// An index over a large table takes as long as it takes, and a second process waits for the first one's lock.
const HOUR_MS = 3_600_000;
// Any number will do, as long as nobody else in this database takes it.
const LOCK = 4_027_431_907;
const LOOK_EVERY_MS = 250;

/**
 * While a migration waits for a lock, every statement on that table waits behind it. Chosen: longer than
 * `deadlock_timeout` (1 s), after which PostgreSQL cancels an autovacuum that is in the way, and well below the 5 s
 * after which an accept is answered 503.
 */
const LOCK_TIMEOUT_MS = 2_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 10_000;

/** `lock_not_available`, `deadlock_detected`, `transaction_timeout`: nothing was changed, and it can be tried again. */
const LOCKED_OUT = new Set(['55P03', '40P01', '25P04']);

export interface MigrateOptions {
  log?: Log;
  /** Stops between two attempts; what was applied stays. */
  signal?: AbortSignal;
  /** For how long a migration is tried again while other sessions hold the locks that it needs. */
  lockPatienceMs?: number;
}

/**
 * Brings the database to the schema of this program, and returns the names of the migrations that it applied. Forward
 * only; several processes may do it at once; each file is applied whole or not at all.
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

/** The same for those of `migrations` that are missing, inside a transaction of the caller's, where tables are empty. */
export async function migrateWithin(tx: Queryable, migrations: Migration[]): Promise<string[]> {
  await tx.query('select pg_advisory_xact_lock($1)', [LOCK]);
  await openHistory(tx);
  const missing = pending(migrations, await applied(tx));
  for (const migration of missing) {
    await run(migration, () => tx.query(withinTransaction(migration)));
    await remember(tx, migration);
  }
  return missing.map(({ name }) => name);
}

/**
 * Whether the database has every migration of this program. Newer ones that are additive do no harm; throws an
 * `OperatorError` where program and database do not fit, and what the database throws.
 */
export async function isMigrated(db: Queryable, migrations: readonly Migration[]): Promise<boolean> {
  return (await missingFrom(db, migrations)).length === 0;
}

async function missingFrom(db: Queryable, migrations: readonly Migration[]): Promise<Migration[]> {
  const { rows } = await db.query<{ there: boolean }>(`select to_regclass('schema_migrations') is not null as there`);
  return pending(migrations, rows[0]?.there ? await applied(db) : [], { newer: 'additive' });
}

export type Applied = Pick<Migration, 'version' | 'name' | 'checksum' | 'additive'>;

/** Makes the table, or adds to one of an earlier version what it lacks. */
async function openHistory(tx: Queryable): Promise<void> {
  const { rows } = await tx.query<{ complete: boolean }>(
    `select exists (select from pg_attribute
                     where attrelid = to_regclass('schema_migrations') and attname = 'additive') as complete`,
  );
  if (rows[0]?.complete) return;
  await tx.query(`
    create table if not exists schema_migrations (
      version    int         primary key,
      name       text        not null,
      checksum   text        not null,
      applied_at timestamptz not null default now()
    );
    alter table schema_migrations add column if not exists additive boolean not null default false`);
}

type Outcome = 'applied' | 'already' | 'stopped';

/** Tries again, with growing pauses, while another session holds a lock that the migration needs. */
async function withRetries(db: Db, migration: Migration, options: MigrateOptions): Promise<Outcome> {
  const { log, signal, lockPatienceMs = HOUR_MS } = options;
  const { name } = migration;
  const since = performance.now();
  for (let pauseMs = FIRST_PAUSE_MS; !signal?.aborted; ) {
    try {
      const outcome = await alone(db, (tx) => apply(db, tx, migration));
      if (outcome === 'applied') log?.info({ migration: name }, 'the migration is applied');
      if (outcome !== 'occupied') return outcome;
      await rest(LOOK_EVERY_MS, signal);
    } catch (error) {
      if (!LOCKED_OUT.has(causeCode(error))) throw error;
      const session = await oldestSession(db);
      if (performance.now() - since > lockPatienceMs) throw lockedOut(name, lockPatienceMs, session);
      log?.warn({ migration: name, session }, 'another session holds a lock that the migration needs: trying again');
      await rest(pauseMs, signal);
      pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
    }
  }
  return 'stopped';
}

const causeCode = (error: unknown) =>
  error instanceof OperatorError ? ((error.cause as { code?: string } | undefined)?.code ?? '') : '';

/**
 * Runs `work` in a transaction while no other process migrates, or not at all. The lock is tried, not waited for: a
 * statement that waits has a snapshot, for which the concurrent index build of the process that has the lock would wait.
 */
async function alone<T>(db: Db, work: (tx: Queryable) => Promise<T>): Promise<T | 'occupied'> {
  return db.transaction(
    async (tx) => {
      const { rows } = await tx.query<{ mine: boolean }>('select pg_try_advisory_xact_lock($1) as mine', [LOCK]);
      return rows[0]?.mine ? work(tx) : 'occupied';
    },
    { statementTimeoutMs: HOUR_MS },
  );
}

async function apply(db: Db, tx: Queryable, migration: Migration): Promise<'applied' | 'already'> {
  const inTransaction = migration.alone === undefined;
  await run(migration, async () => {
    if (inTransaction) await tx.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
    await openHistory(tx);
  });
  if (pending([migration], await applied(tx, migration.version)).length === 0) return 'already';
  await run(migration, async () => {
    if (inTransaction) return void (await tx.query(migration.sql));
    // This transaction only holds the lock against other processes. A statement without parameters ends the portal of the
    // one before it, and with it the snapshot that the index build would wait for.
    await tx.query('select');
    for (const each of migration.alone ?? []) await runConcurrently(db, each, { statementTimeoutMs: HOUR_MS });
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
 * The migrations that are still to be applied, or a sentence about why this program and this database do not belong
 * together. `newer`: whether migrations that this program does not know may be there if they are additive.
 */
export function pending(
  migrations: readonly Migration[],
  done: readonly Applied[],
  { newer = 'none' }: { newer?: 'none' | 'additive' } = {},
): Migration[] {
  const newest = migrations.at(-1)?.version ?? 0;
  for (const was of done) {
    const is = migrations.find(({ version }) => version === was.version);
    if (!is) {
      if (newer === 'additive' && was.additive && was.version > newest) continue;
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
  const last = done.at(-1);
  const missing = migrations.filter(({ version }) => !done.some((was) => was.version === version));
  const late = missing.find(({ version }) => last !== undefined && version < last.version);
  if (late) {
    throw new OperatorError(
      `The migration ${late.name} comes too late: the database already has ${last?.name}. Give it a later number.`,
    );
  }
  return missing;
}

/** The migrations that a database has had. Before `additive` was recorded, none of them was. */
export async function applied(tx: Queryable, version?: number): Promise<Applied[]> {
  const { rows } = await tx.query<Applied>(
    `select version, name, checksum, coalesce((to_jsonb(m) ->> 'additive')::boolean, false) as additive
       from schema_migrations m
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

/** The session whose transaction has been open for the longest: as a rule, the one that holds the lock. */
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

function lockedOut(name: string, patienceMs: number, session: Session | undefined): OperatorError {
  const oldest = session
    ? `The oldest transaction is that of process ${session.pid} (${session.application || 'no name'}), ${session.seconds} s old.`
    : 'This account cannot see whose transaction holds them.';
  return new OperatorError(
    `The migration ${name} did not get the locks that it needs within ${Math.round(patienceMs / 1000)} s. ${oldest}`,
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
