import type { Db } from '../../../base/db.ts';
import { holdRecords } from './write.ts';

/** So many words are looked at in one go, while nobody writes records. */
const SAMPLE = 200;
/** Whoever writes waits meanwhile. */
const LIMIT_MS = 5_000;

/**
 * Forgets words that no record has any more: names of people among them, whose documents were deleted. A sample each time,
 * so that in the end every word has been looked at.
 */
export async function forgetWords(db: Db): Promise<void> {
  await db.transaction(async (tx) => {
    await holdRecords(tx);
    // Words of records lie elsewhere than their rows, which the planner does not know: reading all of them is never shorter.
    await tx.query(`set local enable_seqscan = off; set local statement_timeout = ${LIMIT_MS}`);
    const { rows } = await tx.query<{ words: number }>(
      `select reltuples::float8 as words from pg_class where oid = 'catalog_words'::regclass`,
    );
    // Counted never yet, there are few.
    await tx.query(FORGET, [Math.min(100, (100 * SAMPLE) / Math.max(1, rows[0]!.words)), SAMPLE]);
  });
}

// What is searched for are stems: a word stays while any form of it is in a record. What is no word to search for (the
// and such) has none.
const FORGET = `
  with sample as materialized (
    select word, plainto_tsquery('russian', word) as asked
      from catalog_words tablesample system ($1)
     limit $2
  )
  delete from catalog_words w
   using sample s
   where w.word = s.word and numnode(s.asked) > 0
     and not exists (select from catalog_records r where r.search @@ s.asked)`;
