import type { Db, Transaction } from '../../base/db.ts';
import { DatabaseOverloaded, isLockTimeout } from '../../base/db-errors.ts';
import { createSemaphore } from '../../base/semaphore.ts';
import { withTimeLimit } from '../../base/time-limit.ts';

interface Options {
  /** Transactions at a time. */
  readonly max: number;
  /** For each lock, and for the transactions before. */
  readonly waitMs: number;
}

export type RunInQueue = <T>(run: (tx: Transaction) => Promise<T>) => Promise<T>;

/**
 * Runs the transactions of requests that wait for locks of the whole catalog. They wait in memory, so that they do not occupy
 * the connections of other requests. Rejects as unavailable after `waitMs`.
 */
export function createTransactionQueue(db: Db, { max, waitMs }: Options): RunInQueue {
  const overloaded = (cause?: unknown) =>
    new DatabaseOverloaded('Too many transactions wait for a lock of the catalog.', { cause });
  const permits = createSemaphore({ maxConcurrent: max, maxQueued: Number.POSITIVE_INFINITY, queueFull: overloaded });
  return async <T>(run: (tx: Transaction) => Promise<T>): Promise<T> => {
    const release = await withTimeLimit(waitMs, undefined, permits.acquire).catch((cause: unknown) => {
      throw overloaded(cause);
    });
    try {
      return await db.transaction(run, { settings: `set local lock_timeout = ${waitMs}` });
    } catch (error) {
      throw isLockTimeout(error) ? overloaded(error) : error;
    } finally {
      release();
    }
  };
}
