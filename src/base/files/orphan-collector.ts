import { Counter, Gauge, type Registry } from 'prom-client';
import type { Db } from '../db.ts';
import type { Files } from '../files.ts';
import type { Log } from '../log.ts';
import { keyFolders, keyTime } from './file-key.ts';
import { claimStorage, type StorageClaim } from './storage-claim.ts';
import type { StoredKeys } from './stored-keys.ts';

/** Longer than an upload and the transaction that adds its row. */
const GRACE_MS = 86_400_000;
/** Of 1024: a pass takes 4 hours with a step a minute. */
const FOLDERS_PER_STEP = 4;
const BATCH = 1000;

/** Chosen: crashes leave few orphans; more of them indicate rows of another database, or lost rows. */
const maxOrphans = (seen: number) => Math.max(20, 0.01 * seen);
/** The same for the sample of a storage without a marker. */
const maxUnknown = (seen: number) => Math.max(8, 0.01 * seen);

/** A column with keys of files. */
interface KeyColumn {
  readonly table: string;
  readonly column: string;
}

/**
 * Deletes files that no row refers to and that are older than a day: an upload whose row was not added, for example after a
 * crash. Only in a storage whose marker shows that it is this database's alone.
 */
export function createOrphanCollector(deps: {
  db: Db;
  /** Other databases whose rows refer to these files. */
  otherDatabases?: readonly Db[];
  files: Pick<Files, 'remove'>;
  stored: StoredKeys;
  columns: readonly KeyColumn[];
  /** Whether this program knows all migrations of the database: an unknown one may add a column with keys. */
  isSchemaKnown: () => Promise<boolean>;
  registry: Registry;
  log: Log;
}) {
  const { db, otherDatabases = [], files, stored, columns, isSchemaKnown, registry, log } = deps;
  const folders = keyFolders();
  // Restarts continue at another place.
  let next = Math.floor(Math.random() * folders.length);
  let reported = '';
  const deleted = new Counter({
    name: 'assay_files_orphans_deleted_total',
    help: 'Stored files that were deleted because no row refers to them.',
    registers: [registry],
  });
  const blocked = new Gauge({
    name: 'assay_files_orphans_kept',
    help: '1 while stored files without a row are kept, because deleting them may be wrong.',
    registers: [registry],
    aggregator: 'max',
  });

  const keep = (why: string, details: Record<string, unknown> = {}): undefined => {
    blocked.set(1);
    if (reported !== why) log.warn(details, `${why}: stored files without a row are kept`);
    reported = why;
  };

  /** Of these keys. All columns of a database are read in one snapshot. */
  const readReferences = async (keys: readonly string[]): Promise<{ referenced: Set<string>; nowMs: number }> => {
    const selects = columns.map(
      ({ table, column }) => `select ${column} as key from ${table} where ${column} = any($1)`,
    );
    const sql = `select array(${selects.join(' union ')}) as keys, extract(epoch from now())::float8 * 1000 as ms`;
    const results = await Promise.all(
      [db, ...otherDatabases].map((each) => each.query<{ keys: string[]; ms: number }>(sql, [keys])),
    );
    const read = results.map(({ rows }) => rows[0]!);
    return { referenced: new Set(read.flatMap((row) => row.keys)), nowMs: Math.min(...read.map(({ ms }) => ms)) };
  };

  /** Whether rows refer to nearly all of the storage's first files. */
  const isOwn = async (): Promise<boolean> => {
    const sample: string[] = [];
    for await (const key of stored.keys()) if (sample.push(key) >= BATCH) break;
    if (sample.length === 0) return true;
    const { referenced } = await readReferences(sample);
    return sample.filter((key) => !referenced.has(key)).length <= maxUnknown(sample.length);
  };

  /** Undefined if files must be kept. */
  const claim = async (): Promise<StorageClaim | undefined> => {
    if (!(await isSchemaKnown())) return keep('the database has migrations that this program does not know');
    const claimed = await claimStorage({
      ...{ db, stored, graceMs: GRACE_MS, isOwn },
      databaseCount: 1 + otherDatabases.length,
    }).catch((error: unknown) => {
      blocked.set(1);
      throw error;
    });
    if (claimed.problem === undefined) return claimed;
    return keep(claimed.problem, { nonce: claimed.nonce });
  };

  const listKeys = async (count: number, signal: AbortSignal): Promise<string[]> => {
    const keys: string[] = [];
    for (let n = 0; n < count && !signal.aborted; n++) {
      for await (const key of stored.keys(folders[(next + n) % folders.length]!)) keys.push(key);
    }
    return keys;
  };

  const findOrphans = async (keys: readonly string[], signal: AbortSignal): Promise<string[]> => {
    const orphans: string[] = [];
    for (let at = 0; at < keys.length && !signal.aborted; at += BATCH) {
      const batch = keys.slice(at, at + BATCH);
      const { referenced, nowMs } = await readReferences(batch);
      orphans.push(...batch.filter((key) => !referenced.has(key) && keyTime(key) < nowMs - GRACE_MS));
    }
    return orphans;
  };

  const remove = async (orphans: readonly string[], signal: AbortSignal): Promise<void> => {
    let count = 0;
    for (const key of orphans) {
      if (signal.aborted) break;
      await files.remove(key);
      deleted.inc();
      count++;
    }
    if (count > 0) log.info({ files: count }, 'deleted stored files that no row refers to');
  };

  return {
    /** Looks at the next folders; call it once a minute. */
    async step(signal: AbortSignal, count = FOLDERS_PER_STEP): Promise<void> {
      const first = await claim();
      if (!first) return;
      if (!first.isNew) {
        const keys = await listKeys(count, signal);
        const orphans = await findOrphans(keys, signal);
        if (signal.aborted) return;
        // The next step looks at the same folders.
        if (orphans.length > maxOrphans(keys.length) && !first.allowsMany)
          return keep('too many stored files have no row', { orphans: orphans.length, files: keys.length });
        if (orphans.length > 0) {
          // Another database may have contested the storage, or migrated this one, while the folders were listed.
          const second = await claim();
          if (!second || second.isNew) return;
          await remove(orphans, signal);
        }
        next = (next + count) % folders.length;
      }
      blocked.set(0);
      reported = '';
    },
  };
}
