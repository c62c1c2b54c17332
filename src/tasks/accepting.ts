import type { Db } from '../base/db.ts';
import { isUnavailable, Overcrowded } from '../base/db-errors.ts';
import type { Log } from '../base/log.ts';
import { loop } from '../base/loop.ts';
import type { TaskStore } from './store.ts';

/** Whether this process can write tasks down. */
export interface Accepting {
  /** The store that was given; the outcomes of its accepts are noted. */
  readonly tasks: TaskStore;
  /** True while accepts fail, or would. */
  fails(): boolean;
}

/** Longer than a migration waits for its locks (2 s), shorter than a client waits for an accept (5 s). */
const PROBE_LIMIT_MS = 4_000;
/** A failed accept that no accept has followed counts for this long: a load balancer sends none meanwhile. */
const FAILURE_COUNTS_MS = 10_000;

/**
 * The locks and rights of an accept, and a database that can be written, without writing: a standby and a locked table
 * fail here. A full disk does not, and shows in the accepts themselves.
 */
const PROBE = `insert into tasks (id) select '' where false`;

/** Probes every `everyMs` until `signal` aborts. */
export function watchAccepts(needs: {
  db: Db;
  tasks: TaskStore;
  log: Log;
  signal: AbortSignal;
  everyMs: number;
  now?: () => number;
}): Accepting {
  const { db, tasks, log, signal, everyMs, now = () => performance.now() } = needs;
  let probeFails = false;
  let failedAt = Number.NEGATIVE_INFINITY;

  const probe = async () => {
    await db.transaction((tx) => tx.query(PROBE), { statementTimeoutMs: PROBE_LIMIT_MS });
    if (probeFails) log.info('tasks can be written down again');
    probeFails = false;
  };
  const onError = (err: unknown) => {
    if (signal.aborted) return;
    if (!probeFails) log.warn({ err }, 'tasks cannot be written down now');
    probeFails = true;
  };
  void loop(probe, { restMs: everyMs, maxRestMs: everyMs, signal, onError });

  const accept: TaskStore['accept'] = async (task) => {
    try {
      const accepted = await tasks.accept(task);
      failedAt = Number.NEGATIVE_INFINITY;
      return accepted;
    } catch (error) {
      // Too many at once is no fault of the database: other gateways would get as many.
      if (isUnavailable(error) && !(error instanceof Overcrowded)) failedAt = now();
      throw error;
    }
  };

  return {
    // All else is the given store's, also what is replaced there later.
    tasks: Object.assign(Object.create(tasks) as TaskStore, { accept }),
    fails: () => probeFails || now() - failedAt < FAILURE_COUNTS_MS,
  };
}
