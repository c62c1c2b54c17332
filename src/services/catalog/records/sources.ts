import type { Db, Queryable } from '../../../base/db.ts';
import { sleep } from '../../../base/loop.ts';

/** Sets the indexed services of a database. {@link backfillFeed} backfills the earlier results of new ones. */
export async function setSources(
  db: Db,
  services: readonly string[],
  servicesElsewhere: readonly string[] = [],
): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.query('delete from catalog_sources where service <> all($1::text[])', [
      [...services, ...servicesElsewhere],
    ]);
    for (const table of ['catalog_sources', 'catalog_past_sources'])
      await tx.query(`insert into ${table} (service) select unnest($1::text[]) on conflict do nothing`, [services]);
  });
}

/** Feeds tasks that finished before their source was enabled. Resumes after a restart. */
export async function backfillFeed(
  db: Db,
  signal: AbortSignal,
  servicesElsewhere: readonly string[] = [],
): Promise<void> {
  while (!signal.aborted) {
    const { rows } = await db.query<{ service: string }>(INCOMPLETE, [servicesElsewhere]);
    if (rows.length === 0) return;
    let fed = 0;
    for (const { service } of rows) {
      fed += await db.transaction(
        async (tx) => {
          const { rowCount } = await tx.query(COMPLETE, [service]);
          if (rowCount > 0) await feedAgain(tx, service);
          return rowCount;
        },
        { statementTimeoutMs: 600_000 },
      );
    }
    // Wait for short transactions of other processes.
    if (fed < rows.length) await sleep(POLL_MS, signal);
  }
}

/** Feeds all readable tasks of the service. */
export async function feedAgain(db: Queryable, service: string): Promise<void> {
  await db.query(FEED, [service]);
}

const POLL_MS = 200;

const INCOMPLETE = `
  select service from catalog_sources where not complete and service <> all($1::text[]) order by service`;

// A transaction that finished a task while the source was being enabled is invisible here until it commits: wait until
// all transactions of that time have ended. A future transaction id is from the server of a restored backup.
const COMPLETE = `
  update catalog_sources
     set complete = true
   where service = $1 and not complete
     and (since < pg_snapshot_xmin(pg_current_snapshot()) or since >= pg_snapshot_xmax(pg_current_snapshot()))`;

const FEED = `
  insert into catalog_feed (service, task_id)
  select service, id
    from tasks_read_only
   where service = $1 and finished_at is not null and (expires_at is null or expires_at > now())
   order by finished_at, id`;
