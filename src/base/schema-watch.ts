import type { Queryable } from './db.ts';
import { isUnavailable } from './db-errors.ts';
import type { Log } from './log.ts';
import { loop } from './loop.ts';
import { isMigrated } from './migrate.ts';
import type { Migration } from './migration-files.ts';
import { OperatorError } from './operator-error.ts';

/** Check interval while the schema is compatible: a newer program may migrate it. */
const COMPATIBLE_INTERVAL_MS = 5_000;

const BEHIND = 'The database schema is outdated: run `node scripts/assay.mjs migrate`.';

/**
 * Compares the database schema with this program's migrations: immediately, then until `signal` aborts, every `refreshMs`
 * while it is incompatible.
 */
export async function watchSchema(deps: {
  db: Queryable;
  migrations: readonly Migration[];
  log: Log;
  signal: AbortSignal;
  refreshMs: number;
}) {
  const { db, migrations, log, signal, refreshMs } = deps;
  let problem: string | undefined;
  let fits = false;

  const check = async () => {
    try {
      fits = await isMigrated(db, migrations);
      report(fits ? undefined : BEHIND);
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error;
      fits = false;
      report('The database schema does not match this version.', error);
    }
  };
  const report = (next: string | undefined, err?: OperatorError) => {
    if (next === problem) return;
    if (next === BEHIND) log.warn('waiting for `node scripts/assay.mjs migrate`');
    else if (next) log.error({ err }, next);
    else log.info('the database schema matches this version');
    problem = next;
  };
  // Other components log an unavailable database.
  const onError = (err: unknown) =>
    void (signal.aborted || isUnavailable(err) || log.warn({ err }, 'cannot check the database schema'));
  await check().catch(onError);
  void loop(check, {
    intervalMs: () => (fits ? Math.max(refreshMs, COMPATIBLE_INTERVAL_MS) : refreshMs),
    signal,
    onError,
  });
  /** Undefined if the schema is compatible, or before the first response of the database. */
  return { problem: () => problem };
}
