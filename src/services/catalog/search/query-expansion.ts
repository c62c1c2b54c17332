import type { Queryable } from '../../../base/db.ts';
import { isWithinEdits } from '../../../base/edit-distance.ts';
import type { ParsedQuery } from './query-parser.ts';
import { findCorrections, type IndexedWord, MIN_MISSPELT_LENGTH } from './spelling-correction.ts';

export interface QueryExpansion {
  /** `tsquery`s of the alternatives per word, distinct, the word itself first; one of each must match. */
  readonly words: readonly (readonly string[])[];
  readonly phrases: readonly string[];
  /** Adjacent words of the phrases, without stop words: `a b`, as the records' `catalog_word_pairs`. */
  readonly pairs: readonly string[];
  readonly excluded: readonly string[];
  /** Word prefixes for the snippet. */
  readonly prefixes: readonly string[];
  /** Records whose record id or task id equals the query. */
  readonly ids: readonly number[];
}

/** A word of a query, as PostgreSQL sees it. */
export interface QueryWord {
  readonly word: string;
  /** Empty for stop words. */
  readonly stems: readonly string[];
  readonly tsquery: string;
  readonly containing?: readonly Alternative[];
  readonly corrections?: readonly IndexedWord[];
}

type Expansion = Omit<QueryExpansion, 'ids'>;

/** Without alternatives, which take up to 5 ms. Omits stop words. */
export function expandAsWritten(query: ParsedQuery, known: readonly QueryWord[]): Expansion {
  const words = known
    .filter(({ stems }) => stems.length > 0)
    .map((each) => ({ corrections: [], containing: [], ...each }));
  const stemsOf = new Map(known.map(({ word, stems }) => [word, stems]));
  return {
    words: words.filter(({ word }) => query.words.includes(word)).map(queriesOf),
    phrases: query.phrases.map((phrase) => phrase.join(' ')),
    pairs: query.phrases.flatMap((phrase) => pairsOf(phrase.map((word) => stemsOf.get(word) ?? []))),
    excluded: query.excluded.map((phrase) => phrase.join(' ')),
    prefixes: [...new Set(words.flatMap(prefixes))],
  };
}

const pairsOf = (stems: readonly (readonly string[])[]) =>
  stems.slice(1).flatMap((own, i) => (own.length === 1 && stems[i]!.length === 1 ? [`${stems[i]![0]} ${own[0]}`] : []));

/** Adds up to 50 indexed words per query word that contain it or that it may be a misspelling of. */
export async function expandQuery(db: Queryable, query: ParsedQuery, known: readonly QueryWord[]): Promise<Expansion> {
  const singles = known.filter(({ word, stems }) => stems.length > 0 && query.words.includes(word));
  if (singles.length === 0) return expandAsWritten(query, known);
  const { rows } = await db.query<AlternativesRow>(ALTERNATIVES, [singles.map(({ word }) => word)]);
  const near = await findCorrections(
    db,
    rows.filter(({ unknown }) => unknown).map(({ word }) => word),
  );
  const found = new Map(
    rows.map(({ word, similar, containing }) => [
      word,
      { corrections: corrections(word, similar ?? [], near.get(word) ?? []), containing: containing ?? [] },
    ]),
  );
  return expandAsWritten(
    query,
    known.map((each) => ({ ...each, ...found.get(each.word) })),
  );
}

const MAX_ALTERNATIVES = 50;
const MAX_CORRECTIONS = 20;

interface AlternativesRow {
  readonly word: string;
  readonly containing: readonly Alternative[] | null;
  readonly similar: readonly IndexedWord[] | null;
  /** Neither a form of it nor a word with this prefix is indexed. */
  readonly unknown: boolean;
}

type Alternative = Pick<IndexedWord, 'word' | 'tsquery'>;

type ExpandedWord = Required<QueryWord>;

function corrections(word: string, similar: readonly IndexedWord[], near: readonly IndexedWord[]): IndexedWord[] {
  const edits = word.length >= 9 ? 2 : 1;
  const alike = similar.filter((other) => isWithinEdits(word, other.word, edits) || isForm(word, other.stem));
  return [...alike, ...near].slice(0, MAX_CORRECTIONS);
}

/** `tsquery`s by word. */
function alternatives({ word, tsquery, corrections: others, containing }: ExpandedWord): ReadonlyMap<string, string> {
  const all = [{ word, tsquery }, ...others, ...containing];
  return new Map([...new Map(all.map((each) => [each.word, each.tsquery]))].slice(0, MAX_ALTERNATIVES));
}

/** Most alternatives are forms of one word. Stop words have an empty query. */
const queriesOf = (row: ExpandedWord) => [...new Set(alternatives(row).values())].filter((tsquery) => tsquery !== '');

function prefixes(row: ExpandedWord): string[] {
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
const ALTERNATIVES = {
  name: 'catalog-alternatives',
  text: `
  select w.word,
         case when length(w.word) >= 3 and w.word !~ '^[[:digit:]]+$' then (
           select json_agg(json_build_object('word', c.word, 'tsquery', to_tsquery('russian', c.word)::text))
             from (select c.word from catalog_words c
                    where c.word like '%' || w.word || '%'
                    order by c.word not like w.word || '%', length(c.word), c.word
                    limit ${MAX_ALTERNATIVES}) c
         ) end as containing,
         case when length(w.word) >= 5 and w.word !~ '[[:digit:]]' then (
           select json_agg(json_build_object(
                    'word', c.word, 'tsquery', to_tsquery('russian', c.word)::text,
                    'stem', coalesce((tsvector_to_array(to_tsvector('russian', c.word)))[1], c.word)))
             from (select c.word from catalog_words c
                    where c.word % w.word
                    order by similarity(c.word, w.word) desc, c.word
                    limit 100) c
         ) end as similar,
         length(w.word) >= ${MIN_MISSPELT_LENGTH} and w.word !~ '[[:digit:]]'
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
    from unnest($1::text[]) as w (word)`,
};
