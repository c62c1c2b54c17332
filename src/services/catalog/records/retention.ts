import type { Db } from '../../../base/db.ts';
import { lockRecords } from './write.ts';

/** Small, because writers of these rows wait meanwhile. */
const BATCH = 500;

/** By indexing time and not `created_at`, because an import can contain old records. */
export async function deleteExpiredRecords(db: Db, days: number, signal: AbortSignal): Promise<void> {
  for (let batch = BATCH; batch === BATCH && !signal.aborted; ) {
    batch = await db.transaction(async (tx) => {
      await lockRecords(tx);
      return (await tx.query(REMOVE, [days, BATCH])).rowCount;
    });
  }
}

/** Deletes feed rows older than an hour whose task has expired. Run on every database. */
export async function deleteUnreadableFeedRows(db: Db, signal: AbortSignal): Promise<void> {
  for (let batch = BATCH; batch === BATCH && !signal.aborted; ) {
    ({ rowCount: batch } = await db.query(LOST, [BATCH]));
  }
}

/** Deletes the ids of feed rows of indexers that crashed; the rows were deleted long ago. */
export async function deleteOldFeedRowIds(db: Db): Promise<void> {
  await db.query(`delete from catalog_indexed_feed_rows where at < now() - interval '30 days'`);
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
    insert into catalog_files_to_delete (key)
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

/** Deletes combinations of facet values that no record has any more: their number grows with distinct tags. */
export async function deleteUnusedCombinations(db: Db, signal: AbortSignal): Promise<void> {
  for (let batch = BATCH; batch === BATCH && !signal.aborted; ) {
    const { rows } = await db.query<{ id: number }>(`${UNUSED} limit $1`, [BATCH]);
    batch = rows.length;
    if (batch === 0) return;
    await db.transaction(async (tx) => {
      // A writer may use one of them meanwhile.
      await lockRecords(tx);
      await tx.query(`delete from catalog_facet_combinations where id in (${UNUSED} and id = any($1::int[]))`, [
        rows.map(({ id }) => id),
      ]);
    });
  }
}

const UNUSED = `
  select id from catalog_facet_combinations c
   where not exists (select from catalog_records r where r.facets = c.id)`;

const SAMPLE_WORDS = 200;
/** Limits the time that writers wait. */
const LIMIT_MS = 5_000;

/** Deletes words that no record contains any more, such as names of people. Checks a random sample per run. */
export async function pruneWords(db: Db): Promise<void> {
  await db.transaction(async (tx) => {
    await lockRecords(tx);
    // The planner underestimates sequential scans: the search vectors are stored out of line.
    await tx.query(`set local enable_seqscan = off; set local statement_timeout = ${LIMIT_MS}`);
    const { rows } = await tx.query<{ words: number }>(
      `select reltuples::float8 as words from pg_class where oid = 'catalog_words'::regclass`,
    );
    // reltuples is -1 before the first analyze, when there are few words.
    await tx.query(PRUNE, [Math.min(100, (100 * SAMPLE_WORDS) / Math.max(1, rows[0]!.words)), SAMPLE_WORDS]);
  });
}

// A word stays while a record contains any form of it. Stop words have no stem.
const PRUNE = `
  with sample as materialized (
    select word, plainto_tsquery('russian', word) as query
      from catalog_words tablesample system ($1)
     limit $2
  )
  delete from catalog_words w
   using sample s
   where w.word = s.word and numnode(s.query) > 0
     and not exists (select from catalog_records r where r.search @@ s.query)`;
