import type { Db } from '../../../base/db.ts';

/** Small, because writers of these rows wait meanwhile. */
const BATCH = 500;

/** By indexing time and not `created_at`, because an import can contain old records. */
export async function deleteExpiredRecords(db: Db, days: number, signal: AbortSignal): Promise<void> {
  for (let batch = BATCH; batch === BATCH && !signal.aborted; ) {
    ({ rowCount: batch } = await db.query(REMOVE, [days, BATCH]));
  }
}

/** Deletes feed rows older than an hour whose task has expired. */
export async function deleteUnreadableFeedRows(db: Db, signal: AbortSignal): Promise<void> {
  for (let batch = BATCH; batch === BATCH && !signal.aborted; ) {
    ({ rowCount: batch } = await db.query(LOST, [BATCH]));
  }
}

const REMOVE = `
  with old as materialized (
    select number, picture_key
      from catalog_records
     where indexed_at < now() - make_interval(days => $1)
     order by indexed_at, number
     limit $2
       for update skip locked
  ),
  discarded as (
    insert into files_to_delete (key)
    select picture_key from old where picture_key is not null
        on conflict do nothing
  )
  delete from catalog_records r using old where r.number = old.number`;

// Deletions stay: they must reach the catalog however late.
const LOST = `
  delete from catalog_feed
   where serial in (select f.serial
                      from catalog_feed f
                     where not f.deleted and f.at < now() - interval '1 hour'
                       and not exists (select from tasks_read_only t
                                        where t.id = f.task_id and (t.expires_at is null or t.expires_at > now()))
                     limit $1
                       for update skip locked)`;
