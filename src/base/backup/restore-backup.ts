import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { Db, Queryable, Transaction } from '../db.ts';
import { isOutcomeUnknown, isUnavailable } from '../db-errors.ts';
import { sleep } from '../loop.ts';
import { hasHistory, migrateWithin, pendingMigrations, readHistory } from '../migrate.ts';
import type { Migration } from '../migration-files.ts';
import { OperatorError } from '../operator-error.ts';
import type { Entry } from './archive-reader.ts';
import type { BackupContents } from './create-backup.ts';
import { BACKUP_TIMEOUT_MS } from './file-snapshot.ts';
import { MANIFEST_NAME, type Manifest, migrationsOf } from './manifest.ts';
import { isStagedCopy, type StagedFolders, stageFolders } from './staged-folders.ts';
import { createdObjects, loadTable, setSequences } from './tables.ts';

export interface RestoreTarget {
  readonly db: Db;
  readonly migrations: Migration[];
  readonly dataDir: string;
  readonly contents: BackupContents;
  /** Whether existing data may be deleted. */
  readonly replace: boolean;
  readonly onPart: (name: string) => void;
  /** The last statements of the transaction. */
  readonly complete: (tx: Queryable) => Promise<void>;
}

export interface RestoreResult {
  readonly rows: ReadonlyMap<string, number>;
  readonly files: number;
  /** Migrations that are newer than the backup. */
  readonly migrated: readonly string[];
}

const rootsOf = ({ contents }: RestoreTarget) => ['files', ...contents.folders];

/**
 * Restores a verified backup and migrates it to this program's version. All or nothing: tables in one transaction, folders
 * by renames at its end.
 */
export async function restoreBackup(
  entries: AsyncGenerator<Entry, void>,
  manifest: Manifest,
  target: RestoreTarget,
): Promise<RestoreResult> {
  const { db, migrations, dataDir } = target;
  const folders = stageFolders(dataDir, rootsOf(target));
  let transaction: { readonly id: string; readonly result: RestoreResult } | undefined;
  const run = async (tx: Transaction): Promise<RestoreResult> => {
    await requireUnused(tx);
    await dropExisting(tx, target);
    await migrateWithin(tx, migrationsOf(manifest, migrations));
    const filled = await fill(tx, entries, { manifest, folders, onPart: target.onPart });
    await setSequences(tx, manifest.counters);
    const migrated = await migrateWithin(tx, migrations);
    await target.complete(tx);
    const { rows } = await tx.query<{ id: string }>('select pg_current_xact_id()::text as id');
    await folders.swapIn();
    const result = { ...filled, migrated };
    transaction = { id: rows[0]!.id, result };
    return result;
  };
  const done = await db.transaction(run, { statementTimeoutMs: BACKUP_TIMEOUT_MS }).catch(async (error: unknown) => {
    if (transaction && isOutcomeUnknown(error) && (await isCommitted(db, transaction.id))) return transaction.result;
    await folders.undo();
    throw error;
  });
  await folders.finish();
  return done;
}

/** Waits for the database. Without its response the folders stay as restored. */
async function isCommitted(db: Db, transaction: string): Promise<boolean> {
  for (let tries = 1; ; tries++) {
    try {
      const { rows } = await db.query<{ status: string }>('select pg_xact_status($1::xid8) as status', [transaction]);
      // The server rolls back what a lost connection has left open.
      if (rows[0]!.status !== 'in progress') return rows[0]!.status === 'committed';
    } catch (error) {
      // A replica that has taken over does not know the transaction.
      if (!isUnavailable(error)) return false;
    }
    if (tries === OUTCOME_TRIES) {
      throw new OperatorError(
        'The connection to the database was lost at the end of the restore. The files are restored, but the tables may not be: restore again with --replace.',
      );
    }
    await sleep(OUTCOME_PAUSE_MS);
  }
}
const OUTCOME_TRIES = 60;
const OUTCOME_PAUSE_MS = 1000;

async function requireUnused(tx: Queryable): Promise<void> {
  const { rows } = await tx.query<{ name: string }>(
    `select distinct application_name as name
       from pg_stat_activity
      where datname = current_database() and application_name like 'assay%' and pid <> pg_backend_pid()`,
  );
  if (rows.length === 0) return;
  throw new OperatorError('Assay still runs on this database. Stop all of its processes first.');
}

/** Named in a message. */
const MAX_PLACES = 3;

/** Drops the product's tables and functions; throws if they hold data and `replace` is not set. */
async function dropExisting(tx: Queryable, target: RestoreTarget): Promise<void> {
  const { migrations, replace } = target;
  const history = (await hasHistory(tx)) ? await readHistory(tx) : [];
  pendingMigrations(migrations, history);
  const existing = createdObjects(migrations.filter(({ version }) => history.some((each) => each.version === version)));
  const tables = history.length > 0 ? existing.tables : [];
  if (!replace) {
    const occupied = [...(await tablesWithRows(tx, tables, target)), ...(await foldersWithFiles(target))];
    if (occupied.length > 0) {
      throw new OperatorError(
        'The target is not empty. Delete the existing data with --replace, or restore into an empty target. ' +
          `There is data in ${someOf(occupied)}.`,
      );
    }
  }
  for (const name of tables) await tx.query(`drop table "${name}" cascade`);
  for (const name of existing.functions) await tx.query(`drop function if exists "${name}" cascade`);
}

function someOf(places: readonly string[]): string {
  const others = places.length - MAX_PLACES;
  if (others <= 0) return places.join(', ');
  return `${places.slice(0, MAX_PLACES).join(', ')} and ${others} ${others === 1 ? 'other' : 'others'}`;
}

async function tablesWithRows(tx: Queryable, names: readonly string[], { contents }: RestoreTarget): Promise<string[]> {
  const ignored = ['schema_migrations', ...contents.transientTables, ...contents.startTables];
  const occupied: string[] = [];
  for (const name of names) {
    if (ignored.includes(name)) continue;
    const { rowCount } = await tx.query(`select from "${name}" limit 1`);
    if (rowCount > 0) occupied.push(`the table ${name}`);
  }
  return occupied;
}

async function foldersWithFiles(target: RestoreTarget): Promise<string[]> {
  const occupied: string[] = [];
  for (const root of rootsOf(target)) {
    const folder = join(target.dataDir, root);
    const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
    const files = entries.filter((entry) => !entry.isDirectory());
    const paths = files.map(({ parentPath, name }) => relative(folder, join(parentPath, name)));
    if (!paths.every(isStagedCopy)) occupied.push(folder);
  }
  return occupied;
}

async function fill(
  tx: Transaction,
  entries: AsyncGenerator<Entry, void>,
  { manifest, folders, onPart }: { manifest: Manifest; folders: StagedFolders; onPart: (name: string) => void },
): Promise<Pick<RestoreResult, 'rows' | 'files'>> {
  const rows = new Map<string, number>();
  let files = 0;
  let next = await entries.next();
  /** The parts of a table are consecutive. */
  const partsOf = async function* (table: string) {
    while (!next.done && tableOf(next.value) === table) {
      onPart(`table ${table}`);
      yield await buffer(next.value.content);
      next = await entries.next();
    }
  };
  while (!next.done) {
    const { name, content } = next.value;
    const table = tableOf(next.value);
    if (table !== undefined) {
      const known = manifest.tables.find((each) => each.name === table);
      if (!known) throw new Error(`The backup has rows of ${table} but does not describe this table.`);
      rows.set(table, await loadTable(tx, known, partsOf(table)));
      continue;
    }
    if (name !== MANIFEST_NAME) {
      if (name.startsWith('files/')) onPart(`file ${++files}`);
      await folders.add(name, content);
    }
    next = await entries.next();
  }
  return { rows, files };
}

const tableOf = ({ name }: Entry) => /^tables\/([^/]+)\//.exec(name)?.[1];
