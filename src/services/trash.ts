import type { Db } from '../base/db.ts';
import type { Files } from '../base/files.ts';
import type { Log } from '../base/log.ts';

/** Removals under way at once: a storage that takes 20 ms for each could remove 3 200 files a second. */
const CONCURRENCY = 64;
/** Keys that are leased at once. */
const ROWS = 500;
/** When a process has died with a batch, another one takes it after this. A batch that takes longer is removed twice, which does no harm. */
const LEASE_SECONDS = 60;
/** A call gives up after so many failures: the storage is then unavailable for the others as well. */
const MOST_FAILURES = 5000;

/** The rows of each table whose bytes are to be removed, and which of them first. */
const TABLES = {
  files: { due: 'expires_at < now()', order: 'expires_at' },
  passport_trash: { due: 'true', order: 'key' },
  catalog_trash: { due: 'true', order: 'key' },
};

/** Removes the bytes of files that nothing refers to any more: a table keeps their keys until they are gone. */
export interface Trash {
  /**
   * To be called after the commit that put something there. Never rejects: what cannot be removed now waits for the next
   * call, and housekeeping makes one every minute. Calls share the work, in however many processes: each leases its keys.
   */
  empty(signal?: AbortSignal): Promise<void>;
}

export function openTrash({
  db,
  files,
  log,
  table,
}: {
  db: Db;
  files: Files;
  log: Log;
  table: keyof typeof TABLES;
}): Trash {
  const { due, order } = TABLES[table];
  const lease = `
    with next as (
      select key
        from ${table}
       where ${due} and (leased_until is null or leased_until < now())
       order by ${order}
       limit $1
         for update skip locked
    )
    update ${table} t set leased_until = now() + make_interval(secs => $2) from next where t.key = next.key
    returning t.key`;

  /** Leases the next keys, removes their bytes and then their rows. Answers whether there may be more. */
  const round = async (failed: string[], signal?: AbortSignal): Promise<boolean> => {
    const { rows } = await db.query<{ key: string }>(lease, [ROWS, LEASE_SECONDS]);
    const keys = rows.map(({ key }) => key);
    const { removed, left, error } = await removeAll(files, keys, signal);
    failed.push(...left);
    if (error !== undefined)
      log.warn({ err: error, files: left.length }, 'files could not be removed; the next round tries again');
    // Bytes first, then the row: a crash in between costs one more look, never a file that no row names.
    if (removed.length > 0) await db.query(`delete from ${table} where key = any($1::text[])`, [removed]);
    return rows.length === ROWS && failed.length < MOST_FAILURES;
  };

  return {
    async empty(signal) {
      // Leased until the end of the call, so that it takes none of them twice.
      const failed: string[] = [];
      try {
        for (let more = true; more && !signal?.aborted; ) more = await round(failed, signal);
        if (failed.length > 0) {
          await db.query(`update ${table} set leased_until = null where key = any($1::text[])`, [failed]);
        }
      } catch (err) {
        log.warn({ err }, 'files that nothing refers to could not be removed; the next round tries again');
      }
    },
  };
}

/** Removes files, `CONCURRENCY` at a time; one that cannot be removed does not keep the others. */
async function removeAll(files: Files, keys: readonly string[], signal?: AbortSignal) {
  const removed: string[] = [];
  const left: string[] = [];
  let error: unknown;
  const waiting = keys.values();
  const removeNext = async () => {
    for (const key of waiting) {
      if (signal?.aborted) left.push(key);
      else {
        await files.remove(key).then(
          () => removed.push(key),
          (err: unknown) => {
            left.push(key);
            error = err;
          },
        );
      }
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, removeNext));
  return { removed, left, error };
}
