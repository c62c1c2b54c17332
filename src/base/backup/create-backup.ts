import { createReadStream, existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { Db, Transaction } from '../db.ts';
import { ifMissing } from '../file-system.ts';
import { sleep } from '../loop.ts';
import { hasHistory, pendingMigrations, readHistory } from '../migrate.ts';
import type { Migration } from '../migration-files.ts';
import { OperatorError } from '../operator-error.ts';
import type { ArchiveWriter } from './archive-writer.ts';
import { type FileColumn, missingFiles } from './file-columns.ts';
import { BACKUP_TIMEOUT_MS, createFileSnapshot, type FileSnapshot } from './file-snapshot.ts';
import { MANIFEST_NAME, serializeManifest } from './manifest.ts';
import { isStaged } from './staged-folders.ts';
import { createdObjects, describeTables, dumpTable, readSequences } from './tables.ts';
import { isSafePath } from './tar.ts';

export interface BackupSources {
  readonly db: Db;
  readonly migrations: readonly Migration[];
  readonly version: string;
  readonly dataDir: string;
  readonly contents: BackupContents;
  /** Lists the files of a bucket; absent: the files are in `dataDir`. */
  readonly bucket?: () => Promise<FileSnapshot>;
  readonly onPart: (name: string) => void;
}

export interface BackupResult {
  readonly takenAt: Date;
  /** By table. */
  readonly rows: ReadonlyMap<string, number>;
  readonly files: number;
  /** Keys that rows refer to but that were never found in the store. */
  readonly missing: readonly string[];
}

/** What a backup contains besides the tables and the file store. */
export interface BackupContents {
  /** Folders of DATA_DIR that cannot be recreated. */
  readonly folders: readonly string[];
  /** Columns with keys of files: a backup checks that it contains these files. */
  readonly fileColumns: readonly FileColumn[];
  /** Tables with the state of running processes; not part of a backup. */
  readonly transientTables: readonly string[];
  /** Tables that every start fills: a database with rows in these alone counts as empty. */
  readonly startTables: readonly string[];
}

/**
 * Writes a consistent snapshot of all rows, the files that they refer to, and the keys, while the product keeps running.
 * The database may be a standby.
 */
export async function createBackup(archive: ArchiveWriter, sources: BackupSources): Promise<BackupResult> {
  await requireKeys(sources);
  const files = await (sources.bucket?.() ?? createFileSnapshot(join(sources.dataDir, 'files')));
  try {
    const taken = await writeTables(archive, sources, files).catch(explainConflict);
    for (const folder of sources.contents.folders) await addFolder(archive, sources, folder);
    let count = 0;
    for await (const name of files.names()) {
      sources.onPart(`file ${++count}`);
      await archive.add(`files/${name}`, await files.open(name));
    }
    return { ...taken, files: count };
  } finally {
    await files.release();
  }
}

/** The store may delete a file between the database snapshot and the file snapshot; the backup then retries. */
const MAX_SNAPSHOTS = 5;

async function writeTables(
  archive: ArchiveWriter,
  sources: BackupSources,
  files: FileSnapshot,
): Promise<Omit<BackupResult, 'files'>> {
  const known = new Set<string>();
  for (let snapshot = 1; ; snapshot++) {
    await files.capture();
    const taken = await sources.db.transaction(
      async (tx) => {
        await tx.query('set transaction isolation level repeatable read, read only');
        const { rows: now } = await tx.query<{ now: Date }>('select now()');
        await files.capture();
        const tables = await listTables(tx, sources);
        const missing = await missingFiles(tx, tables, sources.contents.fileColumns, files);
        // Files that are missing in two snapshots were not just deleted.
        if (snapshot < MAX_SNAPSHOTS && missing.some((key) => !known.has(key))) {
          for (const key of missing) known.add(key);
          return undefined;
        }
        const rows = await dumpTables(archive, tx, sources, { tables, takenAt: now[0]!.now, files });
        return { takenAt: now[0]!.now, rows, missing };
      },
      { statementTimeoutMs: BACKUP_TIMEOUT_MS },
    );
    if (taken) return taken;
    await waitForReplay(sources.db);
  }
}

const REPLAY_TIMEOUT_MS = 60_000;

/**
 * On a standby, waits up to a minute until it has replayed what the primary has committed by now: older rows may refer to
 * files that are already deleted. Returns immediately on a primary.
 */
async function waitForReplay(db: Db): Promise<void> {
  const startedAt = new Date();
  while (Date.now() - startedAt.getTime() < REPLAY_TIMEOUT_MS) {
    const { rows } = await db.query<{ done: boolean }>(
      `select not pg_is_in_recovery() or coalesce(pg_last_xact_replay_timestamp() > $1, false) as done`,
      [startedAt],
    );
    if (rows[0]?.done) return;
    await sleep(POLL_INTERVAL_MS);
  }
}

const POLL_INTERVAL_MS = 250;

/** A standby cancels queries that conflict with its replay after `max_standby_streaming_delay`. */
function explainConflict(error: unknown): never {
  const { cause } = error as Error;
  if ([error, cause].some((each) => each instanceof Error && /conflict with recovery/.test(each.message))) {
    throw new OperatorError(
      'The standby cancelled the backup because it conflicted with its replay. Set max_standby_streaming_delay of the ' +
        'standby to -1, or to more than the duration of a backup.',
      { cause: error },
    );
  }
  throw error;
}

async function requireKeys({ db, dataDir }: BackupSources): Promise<void> {
  const { rows } = await db.query<{ standby: boolean }>('select pg_is_in_recovery() as standby');
  if (!rows[0]?.standby || existsSync(join(dataDir, 'keys'))) return;
  throw new OperatorError(
    `There are no keys in ${dataDir}. A standby has only the rows: create the backup where DATA_DIR of the gateways is.`,
  );
}

async function listTables(tx: Transaction, { migrations, contents }: BackupSources) {
  if (!(await hasHistory(tx))) throw new OperatorError('There is nothing to back up: this is not a database of Assay.');
  const history = await readHistory(tx);
  pendingMigrations([...migrations], history);
  const past = migrations.filter(({ version }) => history.some((each) => each.version === version));
  const excluded = ['schema_migrations', ...contents.transientTables];
  return describeTables(
    tx,
    createdObjects(past).tables.filter((name) => !excluded.includes(name)),
  );
}

async function dumpTables(
  archive: ArchiveWriter,
  tx: Transaction,
  { version, onPart }: BackupSources,
  { tables, takenAt, files }: { tables: Awaited<ReturnType<typeof listTables>>; takenAt: Date; files: FileSnapshot },
): Promise<Map<string, number>> {
  const names = tables.map(({ name }) => name);
  const what = { version, taken_at: takenAt.toISOString(), migrations: await readHistory(tx), tables };
  const filesIn = files.bucket === undefined ? {} : { files_in: files.bucket };
  await archive.add(
    MANIFEST_NAME,
    serializeManifest({ ...what, counters: await readSequences(tx, names), ...filesIn }),
  );
  const rows = new Map<string, number>();
  for (const table of tables) {
    let parts = 0;
    const count = await dumpTable(tx, table, (part) => {
      onPart(`table ${table.name}`);
      return archive.add(`tables/${table.name}/${String(++parts).padStart(6, '0')}.copy.gz`, part);
    });
    rows.set(table.name, count);
  }
  return rows;
}

/** Temporary files of `readOrCreate` end with an id. */
const DRAFT = /\.[0-9A-HJKMNP-TV-Z]{26}$/;

async function addFolder(archive: ArchiveWriter, { dataDir, onPart }: BackupSources, folder: string): Promise<void> {
  const root = join(dataDir, folder);
  const paths = await readdir(root, { recursive: true, withFileTypes: true }).catch(ifMissing);
  for (const entry of paths ?? []) {
    const path = join(entry.parentPath, entry.name);
    const inside = relative(root, path);
    if (entry.isDirectory() || DRAFT.test(entry.name) || isStaged(inside)) continue;
    // Follows links: secrets mounted into a container are links.
    const found = await stat(path).catch(ifMissing);
    if (!found?.isFile()) continue;
    const name = `${folder}/${inside.replaceAll(sep, '/')}`;
    if (!isSafePath(name))
      throw new OperatorError(`${path} cannot be in a backup: its name is too long or contains : or \\.`);
    onPart(name);
    await archive.add(name, { size: found.size, bytes: createReadStream(path) });
  }
}
