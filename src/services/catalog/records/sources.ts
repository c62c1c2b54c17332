import type { Db } from '../../../base/db.ts';
import { rest } from '../../../base/loop.ts';

/**
 * Switches on whose finished work is indexed from now on, and off what is not among these. Of one that is switched on anew,
 * what had ended before comes into the feed by {@link feedEarlier}.
 */
export async function switchSources(db: Db, services: readonly string[]): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.query('delete from catalog_sources where service <> all($1::text[])', [services]);
    await tx.query('insert into catalog_sources (service) select unnest($1::text[]) on conflict do nothing', [
      services,
    ]);
  });
}

/** Feeds what had ended before its source was switched on and can still be read; goes on where a process before left off. */
export async function feedEarlier(db: Db, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const { rows } = await db.query<{ service: string }>(INCOMPLETE);
    if (rows.length === 0) return;
    let fed = 0;
    for (const { service } of rows) {
      fed += await db.transaction(
        async (tx) => {
          const { rowCount } = await tx.query(COMPLETE, [service]);
          if (rowCount > 0) await tx.query(FEED, [[service]]);
          return rowCount;
        },
        { statementTimeoutMs: 600_000 },
      );
    }
    // The transactions that are waited for are other people's, and short.
    if (fed < rows.length) await rest(LOOK_MS, signal);
  }
}

const LOOK_MS = 200;

const INCOMPLETE = 'select service from catalog_sources where not complete order by service';

// Whoever was ending a task while the source was being switched on has not seen it, and is not seen here before his
// commit: all who were writing then must have come to their end first. A number from the future is another server's, from
// which this database was restored: nobody of that time writes here.
const COMPLETE = `
  update catalog_sources
     set complete = true
   where service = $1 and not complete
     and (since < pg_snapshot_xmin(pg_current_snapshot()) or since >= pg_snapshot_xmax(pg_current_snapshot()))`;

/** Puts all that can still be read of the services $1 into the feed, the oldest first. */
export const FEED = `
  insert into catalog_feed (service, task_id)
  select service, id
    from tasks
   where service = any($1::text[]) and finished_at is not null and (expires_at is null or expires_at > now())
   order by finished_at, id`;
