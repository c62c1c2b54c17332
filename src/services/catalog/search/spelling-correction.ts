import type { Queryable } from '../../../base/db.ts';

export interface IndexedWord {
  readonly word: string;
  readonly stem: string;
  /** Matches its forms. */
  readonly tsquery: string;
}

/**
 * Up to 20 indexed words within one edit of each unknown word, in any form. Looks candidates up by key: the cost does
 * not depend on the size of the index.
 */
export async function findCorrections(
  db: Queryable,
  words: readonly string[],
): Promise<ReadonlyMap<string, IndexedWord[]>> {
  const pairs = words.flatMap((word) => spellingCandidates(word).map((near) => ({ word, near })));
  const found = new Map<string, IndexedWord[]>();
  if (pairs.length === 0) return found;
  const { rows } = await db.query<IndexedWord & { query: string }>(NEAR, [
    pairs.map(({ word }) => word),
    pairs.map(({ near }) => near),
  ]);
  for (const { query, ...word } of rows) found.set(query, [...(found.get(query) ?? []), word]);
  return found;
}

// Stems of two letters match too many words, so the word itself is used. The stem of `rusty` is `rusti`. The first
// letter is rarely misspelt. `offset 0` keeps the planner from scanning all words.
const NEAR = {
  name: 'catalog-corrections',
  text: `
  select query, word, stem, to_tsquery('russian', word)::text as tsquery
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
   order by query, nth`,
};

/** Shorter words are similar to too many others. */
export const MIN_MISSPELT_LENGTH = 4;

/**
 * Transpositions and, for short words, which share too few trigrams with their correction, also deletions, insertions
 * and substitutions (some 400 for five letters) in the word's alphabet.
 */
export function spellingCandidates(word: string): string[] {
  const letters = [...word];
  if (letters.length < MIN_MISSPELT_LENGTH) return [];
  const found = new Set<string>();
  const addReplaced = (from: number, to: number, ...replacement: readonly string[]) =>
    found.add([...letters.slice(0, from), ...replacement, ...letters.slice(to)].join(''));
  for (let i = 0; i + 1 < letters.length; i++) addReplaced(i, i + 2, letters[i + 1]!, letters[i]!);
  if (letters.length <= MAX_SHORT_LENGTH) {
    const alphabet = ALPHABETS.filter(([script]) => script.test(word)).flatMap(([, all]) => [...all]);
    for (let i = 0; i <= letters.length; i++) {
      for (const letter of alphabet) addReplaced(i, i, letter);
      if (i === letters.length) break;
      addReplaced(i, i + 1);
      for (const letter of alphabet) addReplaced(i, i + 1, letter);
    }
  }
  found.delete(word);
  return [...found];
}

const MAX_SHORT_LENGTH = 5;
const ALPHABETS = [
  [/\p{Script=Cyrillic}/u, 'абвгдежзийклмнопрстуфхцчшщъыьэюя'],
  [/[a-z]/, 'abcdefghijklmnopqrstuvwxyz'],
] as const;
