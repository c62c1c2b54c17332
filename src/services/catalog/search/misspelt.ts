import type { Queryable } from '../../../base/db.ts';
import { neighbours } from './neighbours.ts';

/** A word that records have, and what is looked up in the index for it. */
export interface Stemmed {
  readonly word: string;
  readonly stem: string;
}

/**
 * What records have within one edit of each of `words`, in any form, by word: at most 20 each, the likeliest first. For
 * words that no record has. What they may have been is looked up word by word, so it costs the same however many words
 * there are.
 */
export async function misspelt(db: Queryable, words: readonly string[]): Promise<ReadonlyMap<string, Stemmed[]>> {
  const pairs = words.flatMap((word) => neighbours(word).map((near) => ({ word, near })));
  const found = new Map<string, Stemmed[]>();
  if (pairs.length === 0) return found;
  const { rows } = await db.query<Stemmed & { asked: string }>(NEAR, [
    pairs.map(({ word }) => word),
    pairs.map(({ near }) => near),
  ]);
  for (const { asked, word, stem } of rows) found.set(asked, [...(found.get(asked) ?? []), { word, stem }]);
  return found;
}

// Words of one stem stand side by side. A stem of two letters begins too much: there the word itself is looked for. That
// of `rusty` is `rusti`. Hardly anybody misspells the first letter.
// What is looked up is few and stays apart (`offset 0`): the planner would gladly go through all words.
const NEAR = `
  select asked, word, stem
    from (select n.asked, c.word, s.stem,
                 row_number() over (partition by n.asked
                   order by bool_or(c.word = n.near) desc, left(c.word, 1) <> left(n.asked, 1), length(c.word), c.word) as nth
            from unnest($1::text[], $2::text[]) as n (asked, near)
           cross join lateral (select (tsvector_to_array(to_tsvector('russian', n.near)))[1] as stem offset 0) s
           cross join lateral (
             select case when length(s.stem) < 3 then n.near
                         when starts_with(n.near, s.stem) then s.stem
                         else left(s.stem, -1) end as beginning offset 0) b
           cross join lateral (
             select word from catalog_words
              where word >= b.beginning and word < b.beginning || chr(1114111)
                and (word = n.near or length(s.stem) >= 3 and length(word) <= length(n.near) + 2
                                      and (tsvector_to_array(to_tsvector('russian', word)))[1] = s.stem)
             offset 0) c
           group by n.asked, c.word, s.stem) near
   where nth <= 20
   order by asked, nth`;
