import type { Db, Transaction } from '../../../base/db.ts';
import { noteEarlierMatches } from '../alerts/find-matches.ts';
import { searchedOf } from './entry.ts';
import { FEED } from './sources.ts';
import { addWords, lockRecords, searchVectorSql } from './write.ts';

/** Restarts a running rebuild. */
export async function requestRebuild(db: Db): Promise<void> {
  await db.query(REQUEST);
}

/**
 * Feeds all readable tasks again, then reindexes batches of all records from their stored text. False when no rebuild
 * is requested.
 */
export function runRebuildStep(db: Db): Promise<boolean> {
  return db.transaction(
    async (tx) => {
      const { rows } = await tx.query<Rebuild>(CURRENT);
      const [rebuild] = rows;
      if (rebuild === undefined) return false;
      if (!rebuild.feed_filled) {
        await tx.query(FEED, [rebuild.services]);
        await tx.query('update catalog_rebuild set feed_filled = true');
      } else {
        await reindexBatch(tx, rebuild.last_number);
      }
      return true;
    },
    { statementTimeoutMs: 600_000 },
  );
}

interface Rebuild {
  readonly feed_filled: boolean;
  readonly last_number: number;
  readonly services: string[];
}

/** Small, because writers wait meanwhile. */
const BATCH_ROWS = 100;
/** Stored (compressed) size of the texts. */
const BATCH_BYTES = 250_000;

async function reindexBatch(tx: Transaction, after: number): Promise<void> {
  // Prevents writes between the read and the update.
  await lockRecords(tx);
  const batch = [after, BATCH_ROWS, BATCH_BYTES];
  const { rows } = await tx.query<{ number: number; record_id: string; title: string; text: string }>(NEXT, batch);
  const last = rows.at(-1);
  if (last === undefined) {
    await tx.query('delete from catalog_rebuild');
    return;
  }
  await noteEarlierMatches(
    tx,
    rows.map(({ record_id: id }) => id),
  );
  const searched = rows.map(({ title, text }) => searchedOf(title, text));
  await tx.query(REINDEX, [
    rows.map(({ number }) => number),
    searched.map(({ title }) => title),
    searched.map(({ text }) => text),
  ]);
  await addWords(
    tx,
    searched.flatMap(({ words }) => words),
  );
  await tx.query('update catalog_rebuild set last_number = $1', [last.number]);
}

const REQUEST = `
  insert into catalog_rebuild default values
      on conflict (singleton) do update set requested_at = now(), feed_filled = false, last_number = 0`;

const CURRENT = `
  select feed_filled, last_number, array(select service from catalog_sources order by service) as services
    from catalog_rebuild
     for update skip locked`;

// The first row is taken regardless of its size.
const NEXT = `
  select number, record_id, title, text
    from (select r.number, r.record_id, r.title, t.text,
                 sum(pg_column_size(t.text)) over (order by r.number) as bytes, row_number() over (order by r.number) as place
            from (select number, record_id, title from catalog_records where number > $1 order by number limit $2) r
            join catalog_texts t using (number)) n
   where place = 1 or bytes <= $3
   order by number`;

const REINDEX = `
  update catalog_records r
     set search = ${searchVectorSql('e.title', 'e.text')},
         hidden = catalog_hidden(r.record_id)
    from unnest($1::bigint[], $2::text[], $3::text[]) as e (number, title, text)
   where r.number = e.number`;
