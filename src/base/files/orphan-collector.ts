import { Counter, Gauge, type Registry } from 'prom-client';
import type { Queryable } from '../db.ts';
import type { Files } from '../files.ts';
import type { Log } from '../log.ts';
import { keyFolders, keyTime } from './file-key.ts';
import type { StoredKeys } from './stored-keys.ts';

/** Longer than an upload and the transaction that adds its row. */
const GRACE_MS = 86_400_000;
/** Of 1024: a pass takes 4 hours with a step a minute. */
const FOLDERS_PER_STEP = 4;
const BATCH = 1000;

/** A column with keys of files. */
interface KeyColumn {
  readonly table: string;
  readonly column: string;
}

/**
 * Deletes files that no row refers to and that are older than a day: an upload whose row was not added, for example after a
 * crash. Only in a storage whose marker names this database alone.
 */
export function createOrphanCollector(deps: {
  db: Queryable;
  files: Pick<Files, 'remove'>;
  stored: StoredKeys;
  columns: readonly KeyColumn[];
  registry: Registry;
  log: Log;
}) {
  const { db, files, stored, columns, registry, log } = deps;
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
    help: '1 while stored files without a row are kept, because the storage does not belong to this database alone.',
    registers: [registry],
    aggregator: 'max',
  });

  const keep = (why: string, id: string, marked: readonly string[]) => {
    blocked.set(1);
    if (reported !== why) log.warn({ database: id, marked }, `${why}: stored files without a row are kept`);
    reported = why;
  };

  /** Of these keys. All columns are read in one snapshot. */
  const readReferences = async (keys: readonly string[]): Promise<{ referenced: Set<string>; nowMs: number }> => {
    const selects = columns.map(
      ({ table, column }) => `select ${column} as key from ${table} where ${column} = any($1)`,
    );
    const { rows } = await db.query<{ keys: string[]; ms: number }>(
      `select array(${selects.join(' union ')}) as keys, extract(epoch from now())::float8 * 1000 as ms`,
      [keys],
    );
    return { referenced: new Set(rows[0]!.keys), nowMs: rows[0]!.ms };
  };

  /** Whether the storage is this database's own: it is empty, or rows refer to nearly all of its first files. */
  const isOwn = async (): Promise<boolean> => {
    const sample: string[] = [];
    for await (const key of stored.keys()) if (sample.push(key) >= BATCH) break;
    if (sample.length === 0) return true;
    const { referenced } = await readReferences(sample);
    return referenced.size >= 0.9 * sample.length;
  };

  /** Whether the marker names this database alone. Marks a storage of its own. */
  const isMarked = async (id: string): Promise<boolean> => {
    const marker = await stored.readMarker();
    const ids = marker.split('\n').filter((line) => line !== '');
    if (ids.length === 1 && ids[0] === id) return true;
    if (ids.includes(id)) keep('other databases use the file storage', id, ids);
    else if (ids.length > 0) {
      // The other database then keeps the files of this one.
      await stored.writeMarker([...ids, id, ''].join('\n'));
      keep('another database uses the file storage', id, ids);
    } else if (await isOwn()) await stored.writeMarker(`${id}\n`);
    else keep('the file storage has no marker and many files that no row refers to', id, ids);
    return false;
  };

  const collect = async (keys: readonly string[], signal: AbortSignal): Promise<void> => {
    const { referenced, nowMs } = await readReferences(keys);
    const orphans = keys.filter((key) => !referenced.has(key) && keyTime(key) < nowMs - GRACE_MS);
    for (const key of orphans) {
      if (signal.aborted) return;
      await files.remove(key);
      deleted.inc();
    }
    if (orphans.length > 0) log.info({ files: orphans.length }, 'deleted stored files that no row refers to');
  };

  return {
    /** Looks at the next folders; call it once a minute. */
    async step(signal: AbortSignal, count = FOLDERS_PER_STEP): Promise<void> {
      const { id, isNew } = await readDatabase(db);
      if (!(await isMarked(id))) return;
      blocked.set(0);
      reported = '';
      if (isNew) return;
      for (let n = 0; n < count && !signal.aborted; n++) {
        let keys: string[] = [];
        for await (const key of stored.keys(folders[next]!)) {
          keys.push(key);
          if (keys.length < BATCH) continue;
          await collect(keys, signal);
          keys = [];
        }
        if (keys.length > 0) await collect(keys, signal);
        next = (next + 1) % folders.length;
      }
    },
  };
}

/** A database that was restored within the grace period may not have its rows yet. */
async function readDatabase(db: Queryable): Promise<{ id: string; isNew: boolean }> {
  await db.query('insert into file_storage default values on conflict do nothing');
  const { rows } = await db.query<{ id: string; isNew: boolean }>(
    `select database_id as id, since > now() - make_interval(secs => $1) as "isNew" from file_storage`,
    [GRACE_MS / 1000],
  );
  return rows[0]!;
}
