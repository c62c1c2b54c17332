import pLimit from 'p-limit';
import type { Db } from '../../base/db.ts';
import type { Files } from '../../base/files.ts';
import type { Log } from '../../base/log.ts';
import { leaseRows } from './lease-rows.ts';

/** At 20 ms per deletion, 3,200 files/s. */
const CONCURRENCY = 64;
const BATCH_SIZE = 500;
/**
 * After this, another process takes over the batch of a process that exited. A slow batch is deleted twice, which is
 * harmless.
 */
const LEASE_SECONDS = 60;
/** The storage is then unavailable. */
const MAX_FAILURES = 5000;

export type FileDeletionQueue = ReturnType<typeof createFileDeletionQueue>;

/** The table of uploads, whose rows are due only when they expire. */
export const EXPIRED_UPLOADS = { table: 'files', due: 'expires_at < now()', order: 'expires_at' };

/** Deletes the files of rows that are no longer referenced. A row is kept until its file is deleted. */
export function createFileDeletionQueue(
  { db, files, log }: { db: Db; files: Files; log: Log },
  /** `table` has the columns `key` and `leased_until`; `due` is a condition on the rows to delete. */
  { table, due = 'true', order = 'key' }: { table: string; due?: string; order?: string },
) {
  const lease = leaseRows({
    ...{ table, key: 'key', order },
    due: `${due} and (leased_until is null or leased_until < now())`,
    set: 'leased_until = now() + make_interval(secs => $2)',
  });

  /** Returns whether more rows may be due. */
  const deleteBatch = async (failed: string[], signal?: AbortSignal): Promise<boolean> => {
    const { rows } = await db.query<{ key: string }>(lease, [BATCH_SIZE, LEASE_SECONDS]);
    const keys = rows.map(({ key }) => key);
    const { removed, remaining, error } = await removeAll(files, keys, signal);
    failed.push(...remaining);
    if (error !== undefined)
      log.warn({ err: error, files: remaining.length }, 'files could not be deleted; retrying in the next run');
    // File first, row second: after a crash the row still exists and the deletion is repeated.
    if (removed.length > 0) await db.query(`delete from ${table} where key = any($1::text[])`, [removed]);
    return rows.length === BATCH_SIZE && failed.length < MAX_FAILURES;
  };

  return {
    /**
     * Call after the commit that added rows. Never rejects: failed deletions are retried by the next call, at the latest
     * by the cleanup, which runs every minute. Concurrent calls and processes share the work through leases.
     */
    async drain(signal?: AbortSignal): Promise<void> {
      // Leased until the end of the call, so that no file is tried twice.
      const failed: string[] = [];
      try {
        for (let hasMore = true; hasMore && !signal?.aborted; ) hasMore = await deleteBatch(failed, signal);
        if (failed.length > 0) {
          await db.query(`update ${table} set leased_until = null where key = any($1::text[])`, [failed]);
        }
      } catch (err) {
        log.warn({ err }, 'unreferenced files could not be deleted; retrying in the next run');
      }
    },
  };
}

async function removeAll(files: Files, keys: readonly string[], signal?: AbortSignal) {
  const removed: string[] = [];
  const remaining: string[] = [];
  let error: unknown;
  await pLimit(CONCURRENCY).map(keys, async (key) => {
    if (signal?.aborted) return remaining.push(key);
    return files.remove(key).then(
      () => removed.push(key),
      (err: unknown) => {
        remaining.push(key);
        error = err;
      },
    );
  });
  return { removed, remaining, error };
}
