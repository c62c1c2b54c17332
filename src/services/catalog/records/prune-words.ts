import type { Db } from '../../../base/db.ts';
import { lockRecords } from './write.ts';

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
    select word, plainto_tsquery('russian', word) as asked
      from catalog_words tablesample system ($1)
     limit $2
  )
  delete from catalog_words w
   using sample s
   where w.word = s.word and numnode(s.asked) > 0
     and not exists (select from catalog_records r where r.search @@ s.asked)`;
