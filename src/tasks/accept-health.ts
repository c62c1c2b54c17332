import type { Db } from '../base/db.ts';
import { DatabaseOverloaded, isUnavailable } from '../base/db-errors.ts';
import type { Log } from '../base/log.ts';
import { loop } from '../base/loop.ts';
import type { TaskStore } from './store.ts';

/** Longer than a migration's lock timeout (2 s), shorter than the time limit of an accept (5 s). */
const PROBE_LIMIT_MS = 4_000;
/** A failure counts for this long unless an accept succeeds; meanwhile a load balancer sends no accepts. */
const FAILURE_COUNTS_MS = 10_000;

/** Checks the locks and privileges of an accept and a writable database without writing. Does not detect a full disk. */
const PROBE = `insert into tasks (id) select '' where false`;

/** The health of accepts in this process. Probes the database every `everyMs` until `signal` aborts. */
export function watchAcceptHealth(deps: {
  db: Db;
  tasks: TaskStore;
  log: Log;
  signal: AbortSignal;
  everyMs: number;
  now?: () => number;
}) {
  const { db, tasks, log, signal, everyMs, now = () => performance.now() } = deps;
  let probeFails = false;
  let failedAt = Number.NEGATIVE_INFINITY;

  const probe = async () => {
    await db.transaction((tx) => tx.query(PROBE), { statementTimeoutMs: PROBE_LIMIT_MS });
    if (probeFails) log.info('tasks can be accepted again');
    probeFails = false;
  };
  const onError = (err: unknown) => {
    if (signal.aborted) return;
    if (!probeFails) log.warn({ err }, 'tasks cannot be accepted');
    probeFails = true;
  };
  void loop(probe, { intervalMs: everyMs, maxIntervalMs: everyMs, signal, onError });

  const accept: TaskStore['accept'] = async (task) => {
    try {
      const accepted = await tasks.accept(task);
      failedAt = Number.NEGATIVE_INFINITY;
      return accepted;
    } catch (error) {
      // A full connection pool is not a database failure.
      if (isUnavailable(error) && !(error instanceof DatabaseOverloaded)) failedAt = now();
      throw error;
    }
  };

  return {
    /** The given store; observes the outcomes of its accepts. Inherits from it, so that later replacements there apply. */
    tasks: Object.assign(Object.create(tasks) as TaskStore, { accept }),
    /** True while accepts fail, or the probe does. */
    isFailing: () => probeFails || now() - failedAt < FAILURE_COUNTS_MS,
  };
}
