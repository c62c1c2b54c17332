import type { Queryable } from '../../../base/db.ts';
import { isWithinEdits } from '../../../base/edit-distance.ts';
import { parseQuery } from './query-parser.ts';
import { findCorrections, type IndexedWord, MIN_MISSPELT_LENGTH } from './spelling-correction.ts';

export interface QueryExpansion {
  /** `tsquery`s of the alternatives per word, distinct, the word itself first; one of each must match. */
  readonly words: readonly (readonly string[])[];
  readonly phrases: readonly string[];
  readonly excluded: readonly string[];
  /** Word prefixes for the snippet. */
  readonly prefixes: readonly string[];
  /** Records whose record id or task id equals the query. */
  readonly ids: readonly number[];
}

/** Adds up to 50 indexed words per query word that contain it or that it may be a misspelling of. Omits stop words. */
export async function expandQuery(db: Queryable, q: string): Promise<Omit<QueryExpansion, 'ids'>> {
  const query = parseQuery(q);
  const singles = [...query.words];
  const inPhrases = query.phrases.flat();
  const { rows } = await db.query<KnownRow>(KNOWN, [singles, inPhrases]);
  const searchable = rows.filter(({ stems }) => stems.length > 0);
  const near = await findCorrections(
    db,
    searchable.filter(({ unknown }) => unknown).map(({ word }) => word),
  );
  const expanded = searchable.map((row) => ({ ...row, corrections: corrections(row, near.get(row.word) ?? []) }));
  return {
    words: expanded.filter(({ single }) => single).map(queriesOf),
    phrases: query.phrases.map((phrase) => phrase.join(' ')),
    excluded: query.excluded.map((phrase) => phrase.join(' ')),
    prefixes: [...new Set(expanded.flatMap(prefixes))],
  };
}

const MAX_ALTERNATIVES = 50;
const MAX_CORRECTIONS = 20;

interface KnownRow {
  readonly word: string;
  readonly single: boolean;
  readonly stems: readonly string[];
  readonly tsquery: string;
  readonly containing: readonly Pick<IndexedWord, 'word' | 'tsquery'>[] | null;
  readonly similar: readonly IndexedWord[] | null;
  /** Neither a form of it nor a word with this prefix is indexed. */
  readonly unknown: boolean;
}

type ExpandedRow = KnownRow & { readonly corrections: readonly IndexedWord[] };

function corrections({ word, similar }: KnownRow, near: readonly IndexedWord[]): IndexedWord[] {
  const edits = word.length >= 9 ? 2 : 1;
  const alike = (similar ?? []).filter((other) => isWithinEdits(word, other.word, edits) || isForm(word, other.stem));
  return [...alike, ...near].slice(0, MAX_CORRECTIONS);
}

/** `tsquery`s by word. */
function alternatives({ word, tsquery, corrections: others, containing }: ExpandedRow): ReadonlyMap<string, string> {
  const all = [{ word, tsquery }, ...others, ...(containing ?? [])];
  return new Map([...new Map(all.map((each) => [each.word, each.tsquery]))].slice(0, MAX_ALTERNATIVES));
}

/** Most alternatives are forms of one word. Stop words have an empty query. */
const queriesOf = (row: ExpandedRow) => [...new Set(alternatives(row).values())].filter((tsquery) => tsquery !== '');

function prefixes(row: ExpandedRow): string[] {
  return [...[...row.stems, ...row.corrections.map(({ stem }) => stem)].map(prefixOf), ...alternatives(row).keys()];
}

/** The record can contain another form of the misspelt word. */
function isForm(word: string, stem: string): boolean {
  return [-1, 0, 1].some((more) => {
    const start = word.slice(0, stem.length + more);
    return stem.length >= 5 && word.length - start.length <= MAX_ENDING_LENGTH && isWithinEdits(start, stem, 1);
  });
}

const MAX_ENDING_LENGTH = 3;

/** The English stem of `rusty` is `rusti`. */
const prefixOf = (stem: string) => (/^[a-z]{3,}i$/.test(stem) ? stem.slice(0, -1) : stem);

// pg_trgm with a low threshold preselects words for the exact edit distance. Shorter words have too few trigrams and
// are handled by `findCorrections`.
// Named: planning takes longer than running it.
const KNOWN = {
  name: 'catalog-known-words',
  text: `
  select w.word, w.single, tsvector_to_array(to_tsvector('russian', w.word)) as stems,
         to_tsquery('russian', w.word)::text as tsquery,
         case when w.single and length(w.word) >= 3 and w.word !~ '^[[:digit:]]+$' then (
           select json_agg(json_build_object('word', c.word, 'tsquery', to_tsquery('russian', c.word)::text))
             from (select c.word from catalog_words c
                    where c.word like '%' || w.word || '%'
                    order by c.word not like w.word || '%', length(c.word), c.word
                    limit ${MAX_ALTERNATIVES}) c
         ) end as containing,
         case when w.single and length(w.word) >= 5 and w.word !~ '[[:digit:]]' then (
           select json_agg(json_build_object(
                    'word', c.word, 'tsquery', to_tsquery('russian', c.word)::text,
                    'stem', coalesce((tsvector_to_array(to_tsvector('russian', c.word)))[1], c.word)))
             from (select c.word from catalog_words c
                    where c.word % w.word
                    order by similarity(c.word, w.word) desc, c.word
                    limit 100) c
         ) end as similar,
         w.single and length(w.word) >= ${MIN_MISSPELT_LENGTH} and w.word !~ '[[:digit:]]'
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
          select word, false from unnest($2::text[]) as word) w`,
};
