import type { Db, Transaction } from '../../base/db.ts';
import { DatabaseOverloaded, isLockTimeout } from '../../base/db-errors.ts';

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
  const waiting = new Set<() => void>();
  let running = 0;

  const enter = () =>
    new Promise<void>((resolve, reject) => {
      if (running < max) {
        running++;
        return resolve();
      }
      const timer = setTimeout(() => {
        waiting.delete(start);
        reject(new DatabaseOverloaded('Too many transactions wait for a lock of the catalog.'));
      }, waitMs);
      const start = () => {
        clearTimeout(timer);
        resolve();
      };
      waiting.add(start);
    });
  const leave = () => {
    const [next] = waiting;
    if (next === undefined) {
      running--;
      return;
    }
    waiting.delete(next);
    next();
  };

  return async <T>(run: (tx: Transaction) => Promise<T>): Promise<T> => {
    await enter();
    try {
      return await db.transaction(run, { settings: `set local lock_timeout = ${waitMs}` });
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      throw new DatabaseOverloaded('Another transaction holds a lock of the catalog.', { cause: error });
    } finally {
      leave();
    }
  };
}
