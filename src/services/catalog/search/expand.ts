import type { Queryable } from '../../../base/db.ts';
import { isNear } from './edits.ts';
import { misspelt, type Stemmed } from './misspelt.ts';
import { SHORTEST_MISSPELT } from './neighbours.ts';
import { wordsAsked } from './words-asked.ts';

/** What a `q` means, given the words that records have. */
export interface Meant {
  /** A stem of each has to be in the record; of an entry the first word is the one that was written. */
  readonly words: readonly (readonly string[])[];
  readonly phrases: readonly string[];
  readonly excluded: readonly string[];
  /** Beginnings of words that show why a record was found. */
  readonly beginnings: readonly string[];
  /** Numbers of records whose id, or whose task's id, the whole `q` is. */
  readonly ids: readonly number[];
}

/**
 * Works out what is looked for. Next to a word as it was written stand the words that it is a part of and those that it
 * may be a misspelling of: at most 50, out of all that records ever had. Words that everybody uses all the time (`and`,
 * `не`) say nothing and are left out.
 */
export async function expand(db: Queryable, q: string): Promise<Meant> {
  const asked = wordsAsked(q);
  const singles = [...asked.words];
  const inPhrases = asked.phrases.flat();
  const { rows } = await db.query<KnownRow>(KNOWN, [singles, inPhrases]);
  const { rows: ids } = await db.query<{ number: number }>(BY_ID, [q.replaceAll('\0', '')]);
  const meaning = rows.filter(({ stems }) => stems.length > 0);
  const near = await misspelt(
    db,
    meaning.filter(({ unknown }) => unknown).map(({ word }) => word),
  );
  const known = meaning.map((row) => ({ ...row, meant: misspellings(row, near.get(row.word) ?? []) }));
  return {
    words: known.filter(({ single }) => single).map(alternatives),
    phrases: asked.phrases.map((phrase) => phrase.join(' ')),
    excluded: asked.excluded.map((phrase) => phrase.join(' ')),
    beginnings: [...new Set(known.flatMap(beginnings))],
    ids: ids.map(({ number }) => number),
  };
}

const MOST_ALTERNATIVES = 50;
const MOST_MISSPELT = 20;

interface KnownRow {
  readonly word: string;
  /** Not of a phrase. */
  readonly single: boolean;
  readonly stems: readonly string[];
  readonly containing: readonly string[] | null;
  /** Each with its stem after a blank. */
  readonly similar: readonly string[] | null;
  /** No record has it in any form, nor a word that begins so. */
  readonly unknown: boolean;
}

type Known = KnownRow & { readonly meant: readonly Stemmed[] };

/** What a word may be a misspelling of. */
function misspellings({ word, similar }: KnownRow, near: readonly Stemmed[]): Stemmed[] {
  const edits = word.length >= 9 ? 2 : 1;
  const alike = (similar ?? [])
    .map((other) => other.split(' ') as [word: string, stem: string])
    .filter(([other, stem]) => isNear(word, other, edits) || isForm(word, stem))
    .map(([other, stem]) => ({ word: other, stem }));
  return [...alike, ...near].slice(0, MOST_MISSPELT);
}

function alternatives({ word, meant, containing }: Known): string[] {
  const all = new Set([word, ...meant.map((other) => other.word), ...(containing ?? [])]);
  return [...all].slice(0, MOST_ALTERNATIVES);
}

/** Any form of a word finds a record, and shows why. */
function beginnings(row: Known): string[] {
  return [...[...row.stems, ...row.meant.map(({ stem }) => stem)].map(beginning), ...alternatives(row)];
}

/** A misspelt word may be in another form than any record has it: up to its ending it is near the stem. */
function isForm(word: string, stem: string): boolean {
  return [-1, 0, 1].some((more) => {
    const begins = word.slice(0, stem.length + more);
    return stem.length >= 5 && word.length - begins.length <= LONGEST_ENDING && isNear(begins, stem, 1);
  });
}

const LONGEST_ENDING = 3;

/** The English stem of `rusty` is `rusti`. */
const beginning = (stem: string) => (/^[a-z]{3,}i$/.test(stem) ? stem.slice(0, -1) : stem);

// Similarity is pg_trgm's, with a low threshold: coarse, so that edits can be counted over few words. Numbers mean
// themselves. A part has three letters at least, a misspelt word five here: shorter ones have too few threes of letters, and
// are looked for otherwise (misspelt.ts) where they are unknown.
const KNOWN = `
  select w.word, w.single, tsvector_to_array(to_tsvector('russian', w.word)) as stems,
         case when w.single and length(w.word) >= 3 and w.word !~ '^[[:digit:]]+$' then array(
           select c.word from catalog_words c
            where c.word like '%' || w.word || '%'
            order by c.word not like w.word || '%', length(c.word), c.word
            limit ${MOST_ALTERNATIVES}
         ) end as containing,
         case when w.single and length(w.word) >= 5 and w.word !~ '[[:digit:]]' then array(
           select c.word || ' ' || coalesce((tsvector_to_array(to_tsvector('russian', c.word)))[1], c.word)
             from catalog_words c
            where c.word % w.word
            order by similarity(c.word, w.word) desc, c.word
            limit 100
         ) end as similar,
         w.single and length(w.word) >= ${SHORTEST_MISSPELT} and w.word !~ '[[:digit:]]'
           and not exists (
             select from catalog_words c where c.word >= w.word and c.word < w.word || chr(1114111))
           and not exists (
             select from (select (tsvector_to_array(to_tsvector('russian', w.word)))[1] as stem) s
              cross join lateral (
                select case when starts_with(w.word, s.stem) then s.stem else left(s.stem, -1) end as beginning offset 0) b
              cross join lateral (
                select from catalog_words c
                 where c.word >= b.beginning and c.word < b.beginning || chr(1114111)
                   and length(c.word) <= length(w.word) + 2
                   and (tsvector_to_array(to_tsvector('russian', c.word)))[1] = s.stem
                 limit 1) c) as unknown
    from (select word, true as single from unnest($1::text[]) as word
          union all
          select word, false from unnest($2::text[]) as word) w`;

const BY_ID = `
  select number from catalog_records where record_id = $1
  union
  select number from (select number from catalog_records where task_id = $1 limit 10) own`;
