import type { Db } from './db.ts';
import { sleep } from './loop.ts';
import type { IndexStatement } from './migration-files.ts';

const POLL_INTERVAL_MS = 500;

/**
 * Creates or drops an index without blocking writers. Rebuilds an index that an interrupted build left invalid and keeps
 * a valid one, so the call can be repeated.
 */
export async function runConcurrently(
  db: Db,
  { sql, creates }: IndexStatement,
  { statementTimeoutMs }: { statementTimeoutMs: number },
): Promise<void> {
  if (creates !== undefined) {
    // The server may still build the index for an earlier, lost connection.
    while (await isBeingBuilt(db, creates)) await sleep(POLL_INTERVAL_MS);
    const valid = await isValid(db, creates);
    if (valid) return;
    if (valid === false)
      await db.runOutsideTransaction(`drop index concurrently if exists ${creates}`, { statementTimeoutMs });
  }
  await db.runOutsideTransaction(sql, { statementTimeoutMs });
}

/** Undefined if the index does not exist. */
async function isValid(db: Db, name: string): Promise<boolean | undefined> {
  const { rows } = await db.query<{ valid: boolean }>(
    'select indisvalid as valid from pg_index where indexrelid = to_regclass($1)',
    [name],
  );
  return rows[0]?.valid;
}

async function isBeingBuilt(db: Db, name: string): Promise<boolean> {
  const { rowCount } = await db.query(
    'select from pg_stat_progress_create_index where datname = current_database() and index_relid = to_regclass($1)',
    [name],
  );
  return rowCount > 0;
}
