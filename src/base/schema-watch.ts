import { isUnavailable, type Queryable } from './db.ts';
import type { Log } from './log.ts';
import { loop } from './loop.ts';
import { isMigrated } from './migrate.ts';
import type { Migration } from './migration-files.ts';
import { OperatorError } from './operator-error.ts';

/** Whether this program can work on the schema of its database, as it was a moment ago. */
export interface SchemaWatch {
  /** Why it cannot; undefined: it can, or the database has not answered yet. */
  problem(): string | undefined;
}

/** How often a schema that fits is looked at again: a newer program may migrate it meanwhile. */
const CALM_MS = 5_000;

const BEHIND = 'The database waits for `assay migrate`.';

/** Looks at once, then until `signal` aborts: every `refreshMs` while the schema does not fit. */
export async function watchSchema(needs: {
  db: Queryable;
  migrations: readonly Migration[];
  log: Log;
  signal: AbortSignal;
  refreshMs: number;
}): Promise<SchemaWatch> {
  const { db, migrations, log, signal, refreshMs } = needs;
  let problem: string | undefined;
  let fits = false;

  const look = async () => {
    try {
      fits = await isMigrated(db, migrations);
      tell(fits ? undefined : BEHIND);
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error;
      fits = false;
      tell('The schema of the database does not fit this version.', error);
    }
  };
  const tell = (next: string | undefined, err?: OperatorError) => {
    if (next === problem) return;
    if (next === BEHIND) log.warn('waiting for `assay migrate`');
    else if (next) log.error({ err }, next);
    else log.info('the schema of the database is the one of this version');
    problem = next;
  };
  // That the database is away is logged by others.
  const onError = (err: unknown) =>
    void (signal.aborted || isUnavailable(err) || log.warn({ err }, 'the schema is not known'));
  await look().catch(onError);
  void loop(look, { restMs: () => (fits ? Math.max(refreshMs, CALM_MS) : refreshMs), signal, onError });
  return { problem: () => problem };
}
