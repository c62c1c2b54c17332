import type { Db } from './db.ts';
import { rest } from './loop.ts';
import type { IndexStatement } from './migration-files.ts';

const LOOK_EVERY_MS = 500;

/**
 * Creates or drops an index without locking its table for writers. An index that an interrupted build left invalid is
 * dropped and built again; one that is complete is kept, so that the statement can be repeated.
 */
export async function runConcurrently(
  db: Db,
  { sql, creates }: IndexStatement,
  { statementTimeoutMs }: { statementTimeoutMs: number },
): Promise<void> {
  if (creates !== undefined) {
    // The connection of an earlier build may be gone while the server still builds.
    while (await isBeingBuilt(db, creates)) await rest(LOOK_EVERY_MS);
    const valid = await isValid(db, creates);
    if (valid) return;
    if (valid === false) await db.runAlone(`drop index concurrently if exists ${creates}`, { statementTimeoutMs });
  }
  await db.runAlone(sql, { statementTimeoutMs });
}

/** undefined: there is no such index. */
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
