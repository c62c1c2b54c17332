import { createReadStream, existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { Db, Transaction } from '../db.ts';
import { rest } from '../loop.ts';
import { applied, pending } from '../migrate.ts';
import type { Migration } from '../migration-files.ts';
import { OperatorError } from '../operator-error.ts';
import type { ArchiveWriter } from './archive-writer.ts';
import { CONTENTS_NAME, contents } from './contents.ts';
import { type FileColumn, missingFiles } from './file-columns.ts';
import { type HeldFiles, holdFiles } from './held-files.ts';
import { isStaged } from './staged-folders.ts';
import { describeTables, dumpTable, made, readCounters } from './tables.ts';
import { isSafe } from './tar.ts';

/** Where everything lies that a backup holds. */
export interface Sources {
  readonly db: Db;
  readonly migrations: readonly Migration[];
  /** Of this program. */
  readonly version: string;
  readonly dataDir: string;
  readonly fileColumns: readonly FileColumn[];
  /** Where the files are; absent: in `dataDir`. */
  readonly bucket?: () => Promise<HeldFiles>;
  /** Of what is being written now. */
  readonly onPart: (name: string) => void;
}

export interface Taken {
  readonly takenAt: Date;
  /** By table. */
  readonly rows: ReadonlyMap<string, number>;
  readonly files: number;
  /** Named by rows, and not in the store: neither before the backup nor while it was taken. */
  readonly missing: readonly string[];
}

/** Beside the file store, what of DATA_DIR cannot be made again. */
export const FOLDERS: readonly string[] = ['keys', 'credentials', 'models/defectoscopy'];
/** What processes say of themselves while they live; a restored one would be a lie. */
const PASSING = ['schema_migrations', 'workers', 'rate_gateways', 'rate_points'];
/** As long as it takes. */
export const A_WEEK_MS = 7 * 86_400_000;

/**
 * Writes down one moment of the product, which may go on working: all rows as they were together, with every file that
 * they name, and the keys. Nothing waits for it. The database may be a standby: nothing is written to it.
 */
export async function takeBackup(archive: ArchiveWriter, sources: Sources): Promise<Taken> {
  await refuseWithoutKeys(sources);
  const files = await (sources.bucket?.() ?? holdFiles(join(sources.dataDir, 'files')));
  try {
    const taken = await writeTables(archive, sources, files).catch(inWords);
    for (const folder of FOLDERS) await addFolder(archive, sources, folder);
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

/** A file may be removed between the moment that the rows show and the moment that it is held: then another is taken. */
const MOMENTS = 5;

async function writeTables(archive: ArchiveWriter, sources: Sources, files: HeldFiles): Promise<Omit<Taken, 'files'>> {
  const known = new Set<string>();
  for (let moment = 1; ; moment++) {
    await files.hold();
    const taken = await sources.db.transaction(
      async (tx) => {
        await tx.query('set transaction isolation level repeatable read, read only');
        const { rows: now } = await tx.query<{ now: Date }>('select now()');
        await files.hold();
        const tables = await ourTables(tx, sources);
        const missing = await missingFiles(tx, tables, sources.fileColumns, files);
        // What is missing at two moments was not removed between them.
        if (moment < MOMENTS && missing.some((key) => !known.has(key))) {
          for (const key of missing) known.add(key);
          return undefined;
        }
        const rows = await dumpTables(archive, tx, sources, { tables, takenAt: now[0]!.now, files });
        return { takenAt: now[0]!.now, rows, missing };
      },
      { statementTimeoutMs: A_WEEK_MS },
    );
    if (taken) return taken;
    await replayedUntilNow(sources.db);
  }
}

const REPLAY_PATIENCE_MS = 60_000;

/**
 * On a standby, waits until it shows what the primary had committed by now, or for a minute: until then its rows may name
 * files that were removed with them, before these were held. A primary shows it at once.
 */
async function replayedUntilNow(db: Db): Promise<void> {
  const since = new Date();
  while (Date.now() - since.getTime() < REPLAY_PATIENCE_MS) {
    const { rows } = await db.query<{ done: boolean }>(
      `select not pg_is_in_recovery() or coalesce(pg_last_xact_replay_timestamp() > $1, false) as done`,
      [since],
    );
    if (rows[0]?.done) return;
    await rest(LOOK_EVERY_MS);
  }
}

const LOOK_EVERY_MS = 250;

/** A standby ends what is in the way of its replay after `max_standby_streaming_delay`. */
function inWords(error: unknown): never {
  const { cause } = error as Error;
  if ([error, cause].some((each) => each instanceof Error && /conflict with recovery/.test(each.message))) {
    throw new OperatorError(
      'The standby ended the backup, which was in the way of its replay. Set max_standby_streaming_delay of that standby ' +
        'to -1, or to more than a backup takes.',
      { cause: error },
    );
  }
  throw error;
}

/** Rows can come from a standby; keys and files are where the gateways are. */
async function refuseWithoutKeys({ db, dataDir }: Sources): Promise<void> {
  const { rows } = await db.query<{ standby: boolean }>('select pg_is_in_recovery() as standby');
  if (!rows[0]?.standby || existsSync(join(dataDir, 'keys'))) return;
  throw new OperatorError(
    `There are no keys in ${dataDir}. The standby holds the rows only: take the backup where DATA_DIR of the gateways is.`,
  );
}

async function ourTables(tx: Transaction, { migrations }: Sources) {
  const { rows } = await tx.query<{ there: boolean }>(`select to_regclass('schema_migrations') is not null as there`);
  if (!rows[0]?.there) throw new OperatorError('There is nothing to back up: this database is none of Assay.');
  const had = await applied(tx);
  pending([...migrations], had);
  const then = migrations.filter(({ version }) => had.some((was) => was.version === version));
  return describeTables(
    tx,
    made(then).tables.filter((name) => !PASSING.includes(name)),
  );
}

async function dumpTables(
  archive: ArchiveWriter,
  tx: Transaction,
  { version, onPart }: Sources,
  { tables, takenAt, files }: { tables: Awaited<ReturnType<typeof ourTables>>; takenAt: Date; files: HeldFiles },
): Promise<Map<string, number>> {
  const names = tables.map(({ name }) => name);
  const what = { version, taken_at: takenAt.toISOString(), migrations: await applied(tx), tables };
  const filesIn = files.place === undefined ? {} : { files_in: files.place };
  await archive.add(CONTENTS_NAME, contents({ ...what, counters: await readCounters(tx, names), ...filesIn }));
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

/** Drafts of a key that is being made this very moment carry an id at their end. */
const DRAFT = /\.[0-9A-HJKMNP-TV-Z]{26}$/;

async function addFolder(archive: ArchiveWriter, { dataDir, onPart }: Sources, folder: string): Promise<void> {
  const root = join(dataDir, folder);
  const paths = await readdir(root, { recursive: true, withFileTypes: true }).catch(ifMissing);
  for (const entry of paths ?? []) {
    const path = join(entry.parentPath, entry.name);
    const inside = relative(root, path);
    if (entry.isDirectory() || DRAFT.test(entry.name) || isStaged(inside)) continue;
    // Of a link what it leads to: secrets that are mounted into a container are links.
    const found = await stat(path).catch(ifMissing);
    if (!found?.isFile()) continue;
    const name = `${folder}/${inside.replaceAll(sep, '/')}`;
    if (!isSafe(name))
      throw new OperatorError(`${path} cannot be in a backup: its name is too long, or has : or \\ in it.`);
    onPart(name);
    await archive.add(name, { size: found.size, bytes: createReadStream(path) });
  }
}

function ifMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
