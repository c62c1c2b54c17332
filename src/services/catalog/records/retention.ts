import type { Db } from '../../../base/db.ts';

/** Few enough that nobody waits long for the rows of a batch. */
const BATCH = 500;

/**
 * Removes records that were indexed last more than `days` ago; their pictures become trash. It is not asked how old they
 * say that they are: somebody has just imported the photos of ten years.
 */
export async function removeOld(db: Db, days: number, signal: AbortSignal): Promise<void> {
  for (let batch = BATCH; batch === BATCH && !signal.aborted; ) {
    ({ rowCount: batch } = await db.query(REMOVE, [days, BATCH]));
  }
}

/** Drops what was fed and can come to nothing any more; for when nobody has taken it for long. */
export async function removeLost(db: Db, signal: AbortSignal): Promise<void> {
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
    insert into catalog_trash (key)
    select picture_key from old where picture_key is not null
        on conflict do nothing
  )
  delete from catalog_records r using old where r.number = old.number`;

// What is gone is to be removed from the catalog, however late.
const LOST = `
  delete from catalog_feed
   where serial in (select f.serial
                      from catalog_feed f
                     where not f.gone and f.at < now() - interval '1 hour'
                       and not exists (select from tasks t
                                        where t.id = f.task_id and (t.expires_at is null or t.expires_at > now()))
                     limit $1
                       for update skip locked)`;
