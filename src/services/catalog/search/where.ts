import type { Statement } from '../../../base/db.ts';
import type { QueryExpansion } from './query-expansion.ts';
import { type Attribute, FACET_NAMES, type Filters } from './search-types.ts';

/** Filters resolved against the database. */
export interface ResolvedFilters {
  readonly filters: Filters;
  readonly expansion?: QueryExpansion;
  /** Ids of the matching facet combinations; absent: all. */
  readonly kinds?: readonly number[];
  /** With open reports; only for `hasReport`. */
  readonly reported?: readonly number[];
  readonly upTo: number;
  /** Omits the records before a position. */
  readonly after?: Condition;
}

/** Parameters of a composed SQL statement: `bind` adds a value and returns its placeholder `$1`, `$2`, … */
export function createParameters() {
  const values: unknown[] = [];
  const bind = (value: unknown) => `$${values.push(value)}`;
  return { values, bind };
}

/** An SQL array. The driver takes seven times as long for an array of many ids. */
export const listOf = (ids: readonly number[]): string => `{${ids.join(',')}}`;

const MAX_PREPARED = 40;
const prepared = new Map<string, string>();

/** Names the first composed statements of the process, in most cases those of common searches: parsing and planning them takes as long as running them. */
export function prepare(text: string): Statement | string {
  if (!prepared.has(text) && prepared.size < MAX_PREPARED) prepared.set(text, `catalog-search-${prepared.size}`);
  const name = prepared.get(text);
  return name === undefined ? text : { name, text };
}

export type Binder = Pick<ReturnType<typeof createParameters>, 'bind'>;
/** An SQL condition over `catalog_records r`. */
export type Condition = (parameters: Binder) => string;

/** The visible records of the snapshot and the period, after a position: what an index by age covers. */
export function scope({ filters: { from, to, hidden }, upTo, after }: ResolvedFilters, { bind }: Binder): string {
  const conditions = [hidden === true ? 'r.hidden' : 'not r.hidden', `r.number <= ${bind(upTo)}::bigint`];
  if (from) conditions.push(`r.created_at >= ${bind(from)}::timestamptz`);
  if (to) conditions.push(`r.created_at < ${bind(to)}::timestamptz`);
  if (after) conditions.push(after({ bind }));
  return conditions.join(' and ');
}

/** A FROM item: the first `max` visible records of the snapshot and the period. */
export function firstRecords(resolved: ResolvedFilters, order: readonly string[], max: number, p: Binder): string {
  return `(select * from catalog_records r where ${scope(resolved, p)} order by ${order.join(', ')} limit ${max}) r`;
}

/** All filters except `q`. `kinds` covers those on facets. */
export function where(resolved: ResolvedFilters, { bind }: Binder): string {
  const { filters, kinds, reported } = resolved;
  const { minConf, hasReport, duplicates } = filters;
  const conditions = [scope(resolved, { bind })];
  if (kinds) conditions.push(`r.facets = any(${bind(listOf(kinds))}::int[])`);
  // Rounded like the stored float4 values: 0.7 is slightly less than 0.7 in four bytes.
  if (minConf !== undefined) conditions.push(`${confidence(filters, { bind })} >= ${bind(Math.fround(minConf))}::real`);
  if (reported) conditions.push(`r.number ${hasReport ? '= any' : '<> all'}(${bind(reported)}::bigint[])`);
  if (duplicates !== undefined) conditions.push(duplicates ? 'r.duplicate' : 'not r.duplicate');
  return [...conditions, ...fieldConditions(filters, { bind })].join(' and ');
}

/** `facets count` pairs as one text: faster to transfer than thousands of rows. */
export const COUNTS = `coalesce(string_agg(facets || ' ' || count, ' '), '')`;

/** Whether no filter is set but those of which counts are maintained: on facets and `duplicates`. */
export function hasOnlyFacets({ filters, expansion, reported }: ResolvedFilters): boolean {
  const { minConf, from, to, ranges, has, hasNot, attributes, excludedAttributes, hidden } = filters;
  const ofFields = [ranges, has, hasNot, attributes, excludedAttributes];
  return [expansion, reported, minConf, from, to, ...ofFields, hidden].every((each) => each === undefined);
}

/** Each condition reads a range of `catalog_fields_by_value` or the fields of one record. */
function fieldConditions(filters: Filters, { bind }: Binder): string[] {
  const { ranges = [], has = [], hasNot = [], attributes = [], excludedAttributes = [] } = filters;
  const withField = (field: string) => `select number from catalog_fields where field = ${bind(field)}`;
  const withTexts = ([field, texts]: [string, string[]]) =>
    `${withField(field)} and text = any(${bind(texts)}::text[])`;
  return [
    ...ranges.map(({ field, min, max }) => {
      const ends = [
        ...(min === undefined ? [] : [`value >= ${bind(min)}::float8`]),
        ...(max === undefined ? [] : [`value <= ${bind(max)}::float8`]),
      ];
      return `r.number in (${withField(field)} and ${ends.join(' and ')})`;
    }),
    ...has.map((field) => `r.number in (${withField(field)})`),
    ...hasNot.map((field) => `not exists (${withField(field)} and number = r.number)`),
    ...byField(attributes).map((each) => `r.number in (${withTexts(each)})`),
    ...byField(excludedAttributes).map((each) => `not exists (${withTexts(each)} and number = r.number)`),
  ];
}

function byField(attributes: readonly Attribute[]): [string, string[]][] {
  const texts = new Map<string, string[]>();
  for (const { field, value } of attributes) texts.set(field, [...(texts.get(field) ?? []), value]);
  return [...texts];
}

/** The highest of the filtered defects, else of the filtered group, else of the most confident defect; -1 if absent. */
export function confidence({ defect, master }: Filters, { bind }: Binder): string {
  if (defect !== undefined) {
    return `coalesce(greatest(${defect.map((name) => `(r.defects ->> ${bind(name)}::text)::real`).join(', ')}), -1)`;
  }
  return `coalesce(${master === undefined ? 'r.top_conf' : 'r.master_conf'}, -1)`;
}

/** `words` is an index condition, or tested for each record; `rest` is a further filter. */
export interface Stage {
  readonly words?: (parameters: Binder, use: Use) => string;
  readonly rest: Condition;
}

/** Records that match the words, or whose id is the query. */
export function queryStage(expansion: QueryExpansion | undefined): Stage {
  if (expansion === undefined) return { rest: () => 'true' };
  const { ids } = expansion;
  const named = (condition: string, p: Binder) =>
    ids.length === 0 ? condition : `(${condition} or r.number = any(${p.bind(ids)}::bigint[]))`;
  if (onlyExcludes(expansion)) return { rest: (p) => named(excludedCondition(expansion, p), p) };
  return { words: (p, use) => named(searchCondition(expansion, 'any', p, use), p), rest: () => 'true' };
}

export const onlyExcludes = ({ words, phrases, excluded }: QueryExpansion): boolean =>
  words.length + phrases.length === 0 && excluded.length > 0;

export function excludedCondition({ excluded }: QueryExpansion, { bind }: Binder): string {
  const any = excluded.map((phrase) => `phraseto_tsquery('russian', ${bind(phrase)})`);
  return `not exists (select from catalog_records x where x.number = r.number and x.search @@ (${any.join(' || ')}))`;
}

/** Records whose numbers are equal after division by this form a range, a key of the index of words. */
export const RANGE_SIZE = 1024;
/** As many adjacent ranges are a key too, the bitwise complement of a number: PostgreSQL compares each entry of the index with all keys. */
const RANGES_PER_KEY = 32;
const RANGE_KEYS = `array[(r.number / ${RANGE_SIZE})::integer, ~(r.number / ${RANGE_SIZE * RANGES_PER_KEY})::integer]`;
/** Services, as complements of hashes, are keys beside the combinations of facets, of which a service may have many. */
const KIND_KEYS = 'array[r.facets, ~(hashtext(r.service) & 1023)]';
const MAX_INDEXED_KINDS = 16;

/**
 * `offset 0` makes the planner use indexes first: it underestimates the cost of reading search vectors. With `ranges` only the
 * records of these ranges.
 */
export function fromClause(
  { words }: Stage,
  { kinds, expansion, filters }: Pick<ResolvedFilters, 'kinds' | 'expansion' | 'filters'>,
  p: Binder,
  ranges?: readonly number[],
): string {
  if (words === undefined) return 'catalog_records r';
  const pairs = expansion?.ids.length === 0 && expansion.pairs.length > 0 ? expansion.pairs : undefined;
  const conditions = expansion && pairs ? hasPairs(expansion, p) : [words(p, 'index')];
  if (ranges) conditions.push(`${RANGE_KEYS} && ${p.bind(rangeKeys(ranges))}::int[]`);
  if (kinds) conditions.push(ofKinds(kinds, filters, p));
  const found = `(select * from catalog_records r where ${conditions.join(' and ')} offset 0) r`;
  // Not one condition: PostgreSQL would compute the pairs of each record again to check the phrase.
  return pairs ? `(select * from ${found} where ${words(p, 'test')} offset 0) r` : found;
}

function ofKinds(kinds: readonly number[], { service, excluded, ...filters }: Filters, { bind }: Binder): string {
  if (kinds.length <= MAX_INDEXED_KINDS) return `${KIND_KEYS} && ${bind(kinds)}::int[]`;
  const hasOther = excluded !== undefined || FACET_NAMES.some((name) => name !== 'service' && name in filters);
  if (!service || hasOther) return `r.facets = any(${bind(listOf(kinds))}::int[])`;
  return `${KIND_KEYS} && array(select ~(hashtext(service) & 1023) from unnest(${bind(service)}::text[]) as service)`;
}

function rangeKeys(ranges: readonly number[]): number[] {
  const groups = new Map<number, number[]>();
  for (const range of ranges) {
    const group = Math.floor(range / RANGES_PER_KEY);
    groups.set(group, [...(groups.get(group) ?? []), range]);
  }
  return [...groups].flatMap(([group, all]) => (all.length === RANGES_PER_KEY ? [~group] : all));
}

/** Conditions that the index decides alone: the pairs, the words of the phrases in any order, and the other words in any form. */
function hasPairs(expansion: QueryExpansion, p: Binder): string[] {
  const { pairs, phrases, words } = expansion;
  const others = searchCondition({ ...expansion, phrases: [], excluded: [] }, 'any', p, 'index');
  return [
    `catalog_word_pairs(r.search) @> array(select hashtext(pair) & 65535 from unnest(${p.bind(pairs)}::text[]) as pair)`,
    `r.search @@ plainto_tsquery('russian', ${p.bind(phrases.join(' '))})`,
    ...(words.length > 0 ? [others] : []),
  ];
}

/** Every word `as written`, `any` of its alternatives, or any but not as written: `alike`. */
type Forms = 'as written' | 'any' | 'alike';
type Use = 'index' | 'test';

/** An SQL condition on `r.search`; as an index condition it may use one query per alternative. */
export function searchCondition(expansion: QueryExpansion, forms: Forms, p: Binder, use: Use): string {
  const [[written, ...others] = [], ...more] = expansion.words;
  if (use === 'test' || forms === 'as written' || others.length === 0 || more.length > 0)
    return `r.search @@ (${tsquery(expansion, forms, p)})`;
  // A query of several words is evaluated for each record in the index, several queries of one word are not.
  const rest = [`(${tsquery({ ...expansion, words: [] }, 'any', p)})`];
  if (forms === 'alike') rest.push(`!! ${p.bind(written)}::tsquery`);
  const words = forms === 'alike' ? others : expansion.words[0];
  return `r.search @@ any(array(select word::tsquery && ${rest.join(' && ')} from unnest(${p.bind(words)}::text[]) as word))`;
}

/** An SQL expression: every word in these forms, every phrase, and nothing excluded. */
export function tsquery(expansion: QueryExpansion, forms: Forms, p: Binder): string {
  if (forms === 'alike') return `${tsquery(expansion, 'any', p)} && !! (${tsquery(expansion, 'as written', p)})`;
  const words = expansion.words.map((all) => `(${forms === 'any' ? all.join(' | ') : all[0]})`);
  const parts = [
    ...(words.length === 0 ? [] : [`${p.bind(words.join(' & '))}::tsquery`]),
    ...expansion.phrases.map((phrase) => `phraseto_tsquery('russian', ${p.bind(phrase)})`),
    ...expansion.excluded.map((phrase) => `!! phraseto_tsquery('russian', ${p.bind(phrase)})`),
  ];
  // Only stop words: matches nothing.
  return parts.length === 0 ? `''::tsquery` : parts.join(' && ');
}
