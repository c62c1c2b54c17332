import type { Db, Transaction } from '../../../base/db.ts';
import { searchedOf } from './entry.ts';
import { FEED } from './sources.ts';
import { addWords, holdRecords, tsvector } from './write.ts';

/** Asks for everything to be indexed anew; while that is under way, it begins again from the start. */
export async function askForRebuild(db: Db): Promise<void> {
  await db.query(ASK);
}

/**
 * A step of what was asked for: first, all that can still be read goes into the feed again; then what there is, imported
 * records too, is taken apart anew from its stored text. False where there is nothing to be done.
 */
export function rebuildStep(db: Db): Promise<boolean> {
  return db.transaction(
    async (tx) => {
      const { rows } = await tx.query<Rebuild>(UNDER_WAY);
      const [rebuild] = rows;
      if (rebuild === undefined) return false;
      if (!rebuild.fed) {
        await tx.query(FEED, [rebuild.services]);
        await tx.query('update catalog_rebuild set fed = true');
      } else {
        await takeApart(tx, rebuild.done);
      }
      return true;
    },
    { statementTimeoutMs: 600_000 },
  );
}

interface Rebuild {
  readonly fed: boolean;
  readonly done: number;
  readonly services: string[];
}

/** Few, and short ones: whoever writes records waits meanwhile. */
const BATCH = 100;
/** Of stored (compressed) texts. */
const BATCH_BYTES = 250_000;

async function takeApart(tx: Transaction, after: number): Promise<void> {
  // What is read is what is written: nobody writes it anew in between.
  await holdRecords(tx);
  const { rows } = await tx.query<{ number: number; title: string; text: string }>(NEXT, [after, BATCH, BATCH_BYTES]);
  const last = rows.at(-1);
  if (last === undefined) {
    await tx.query('delete from catalog_rebuild');
    return;
  }
  const searched = rows.map(({ title, text }) => searchedOf(title, text));
  await tx.query(RENEW, [
    rows.map(({ number }) => number),
    searched.map(({ title }) => title),
    searched.map(({ text }) => text),
  ]);
  await addWords(
    tx,
    searched.flatMap(({ words }) => words),
  );
  await tx.query('update catalog_rebuild set done = $1', [last.number]);
}

const ASK = `
  insert into catalog_rebuild default values
      on conflict (only_one) do update set asked_at = now(), fed = false, done = 0`;

const UNDER_WAY = `
  select fed, done, array(select service from catalog_sources order by service) as services
    from catalog_rebuild
     for update skip locked`;

// The first is taken however long it is.
const NEXT = `
  select number, title, text
    from (select r.number, r.title, t.text,
                 sum(pg_column_size(t.text)) over (order by r.number) as bytes, row_number() over (order by r.number) as place
            from (select number, title from catalog_records where number > $1 order by number limit $2) r
            join catalog_texts t using (number)) n
   where place = 1 or bytes <= $3
   order by number`;

const RENEW = `
  update catalog_records r
     set search = ${tsvector('e.title', 'e.text')},
         hidden = catalog_hidden(r.record_id)
    from unnest($1::bigint[], $2::text[], $3::text[]) as e (number, title, text)
   where r.number = e.number`;
