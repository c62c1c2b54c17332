import type { Queryable } from '../../../base/db.ts';
import { spellingCandidates } from './spelling-candidates.ts';

export interface StemmedWord {
  readonly word: string;
  readonly stem: string;
}

/**
 * Up to 20 indexed words within one edit of each unknown word, in any form. Looks candidates up by key: the cost does
 * not depend on the size of the index.
 */
export async function findCorrections(
  db: Queryable,
  words: readonly string[],
): Promise<ReadonlyMap<string, StemmedWord[]>> {
  const pairs = words.flatMap((word) => spellingCandidates(word).map((near) => ({ word, near })));
  const found = new Map<string, StemmedWord[]>();
  if (pairs.length === 0) return found;
  const { rows } = await db.query<StemmedWord & { query: string }>(NEAR, [
    pairs.map(({ word }) => word),
    pairs.map(({ near }) => near),
  ]);
  for (const { query, word, stem } of rows) found.set(query, [...(found.get(query) ?? []), { word, stem }]);
  return found;
}

// Stems of two letters match too many words, so the word itself is used. The stem of `rusty` is `rusti`. The first
// letter is rarely misspelt. `offset 0` keeps the planner from scanning all words.
const NEAR = `
  select query, word, stem
    from (select n.query, c.word, s.stem,
                 row_number() over (partition by n.query
                   order by bool_or(c.word = n.near) desc, left(c.word, 1) <> left(n.query, 1), length(c.word), c.word) as nth
            from unnest($1::text[], $2::text[]) as n (query, near)
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
           group by n.query, c.word, s.stem) near
   where nth <= 20
   order by query, nth`;
