import type { Db } from '../base/db.ts';
import type { Files } from '../base/files.ts';
import type { Log } from '../base/log.ts';

const ROWS = 500;

/** Removes the bytes of files that nothing refers to any more: a table keeps their keys until they are gone. */
export interface Trash {
  /**
   * To be called after the commit that put something there. Never rejects: what cannot be removed now waits for the next
   * call, and housekeeping makes one every minute.
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
  table: 'passport_trash' | 'catalog_trash';
}): Trash {
  const round = async (after: string): Promise<string | undefined> => {
    const { rows } = await db.query<{ key: string }>(`select key from ${table} where key > $1 order by key limit $2`, [
      after,
      ROWS,
    ]);
    const removed: string[] = [];
    for (const { key } of rows) {
      // One that cannot be removed must not keep the others.
      await files.remove(key).then(
        () => removed.push(key),
        (err) => log.warn({ err }, 'a file could not be removed; it will be tried again'),
      );
    }
    // Bytes first, then the row: a crash in between costs one more look, never a file that nobody knows of.
    if (removed.length > 0) await db.query(`delete from ${table} where key = any($1::text[])`, [removed]);
    return rows.length === ROWS ? rows.at(-1)!.key : undefined;
  };
  return {
    async empty(signal) {
      try {
        for (let after: string | undefined = ''; after !== undefined && !signal?.aborted; ) after = await round(after);
      } catch (err) {
        log.warn({ err }, 'files that nobody refers to could not be removed; they will be tried again');
      }
    },
  };
}
