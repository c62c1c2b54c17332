import type { Db, Transaction } from '../../../base/db.ts';
import { isUnavailable } from '../../../base/db-errors.ts';
import { noteEarlierMatches } from '../alerts/find-matches.ts';
import { searchedOf } from './entry.ts';
import type { Feed } from './feed.ts';
import { feedAgain } from './sources.ts';
import { addWords, lockRecords, searchVectorSql } from './write.ts';

/** Restarts a running rebuild. */
export async function requestRebuild(db: Db): Promise<void> {
  await db.query(REQUEST);
}

/**
 * Feeds all readable tasks again, then reindexes batches of all records from their stored text. False when no rebuild
 * is requested.
 */
export function runRebuildStep(db: Db, feeds: readonly Feed[] = [{ db, servicesElsewhere: [] }]): Promise<boolean> {
  return db.transaction(
    async (tx) => {
      const { rows } = await tx.query<Rebuild>(CURRENT);
      const [rebuild] = rows;
      if (rebuild === undefined) return false;
      if (!rebuild.feed_filled) {
        await fillFeeds(tx, rebuild, feeds);
      } else {
        await reindexBatch(tx, rebuild.last_number);
      }
      return true;
    },
    { statementTimeoutMs: STATEMENT_TIMEOUT_MS },
  );
}

const STATEMENT_TIMEOUT_MS = 600_000;

interface Rebuild {
  readonly feed_filled: boolean;
  readonly fed_services: readonly string[];
  readonly last_number: number;
}

/** Fills the feeds of the databases that respond; those of the others in a later step. */
async function fillFeeds(tx: Transaction, rebuild: Rebuild, feeds: readonly Feed[]): Promise<void> {
  const fed = [...rebuild.fed_services];
  const missing: unknown[] = [];
  for (const feed of feeds) {
    try {
      const { rows } = await feed.db.query<{ service: string }>(SOURCES, [[...fed, ...feed.servicesElsewhere]]);
      for (const { service } of rows) {
        await feed.db.transaction((source) => feedAgain(source, service), { statementTimeoutMs: STATEMENT_TIMEOUT_MS });
        fed.push(service);
      }
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      missing.push(error);
    }
  }
  // A database that is unavailable is retried after a pause.
  if (fed.length === rebuild.fed_services.length && missing.length > 0) throw missing[0];
  await tx.query('update catalog_rebuild set fed_services = $1, feed_filled = $2', [fed, missing.length === 0]);
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
      on conflict (singleton) do update
     set requested_at = now(), feed_filled = false, fed_services = '{}', last_number = 0`;

const CURRENT = 'select feed_filled, fed_services, last_number from catalog_rebuild for update skip locked';

const SOURCES = 'select service from catalog_sources where service <> all($1::text[]) order by service';

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
