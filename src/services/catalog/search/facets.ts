import type { Queryable } from '../../../base/db.ts';
import type { FacetCombination, FacetCombinations } from './facet-combinations.ts';
import type { SearchLimits } from './first-matches.ts';
import { findFacetCombinations } from './resolve-filters.ts';
import { FACET_NAMES, type Facet, type FacetName, type Filters, MAX_COUNT } from './search-types.ts';
import {
  type Binder,
  COUNTS,
  createParameters,
  firstRecords,
  fromClause,
  hasOnlyFacets,
  listOf,
  queryStage,
  type ResolvedFilters,
  where,
} from './where.ts';

const MAX_VALUES = 100;
/** Of maintained counts: tags can give each record a combination of its own. As many as the newest records can have. */
const MAX_COMBINATIONS = 10_000;

type FacetLimits = Pick<SearchLimits, 'maxCounted' | 'maxTested'>;

interface FacetCounts {
  readonly facets: Readonly<Record<FacetName, Facet>>;
  /** Whether all matches of each facet are counted. */
  readonly complete: boolean;
  /** Undefined if not all matches are counted. */
  readonly total: number | undefined;
}

/**
 * Counts records per facet combination: once for all facets if they are at most `maxCounted` without the filters on facets,
 * or if there are no other filters; else also for each filtered facet. Of more matches, or seemingly twice as many, those
 * among the newest `maxTested` records count.
 */
export async function countFacets(
  db: Queryable,
  combinations: FacetCombinations,
  resolved: ResolvedFilters,
  limits: FacetLimits,
  /** The counts of all matches, in the format of {@link COUNTS}. */
  known: string | undefined,
): Promise<FacetCounts> {
  const { filters, kinds, ...others } = resolved;
  const visible = once(() => countVisible(db));
  const within = (of: Filters): CountOptions => {
    const newest = once(() => countNewest(db, combinations, { ...others, filters: of }, limits));
    return { db, combinations, limits, newest, visible };
  };
  const options = within(filters);
  const count = (of: Filters, ids: readonly number[] | undefined, how = options) =>
    countKinds({ ...others, filters: of, ...(ids && { kinds: ids }) }, how);
  // All of `kinds`, and more if other facets than the defect are filtered.
  const widest = await kindsWithConfidence(db, filters);
  const exact: Counts | undefined =
    known === undefined ? undefined : { counted: await read(db, combinations, known), complete: true };
  const shared = exact && kinds === undefined ? exact : await count(filters, widest);
  const isAll = kinds === undefined || kinds.length === widest?.length;
  const matches = exact ?? (shared.complete || isAll ? shared : await count(filters, kinds));
  const all = tally(matches, filters);
  const facets: (readonly [FacetName, Facet])[] = [];
  let { complete } = matches;
  for (const name of FACET_NAMES) {
    const rest = without(filters, name);
    let own = matches;
    let { counts } = all;
    if (filters[name] ?? filters.excluded?.[name]) {
      // Without the filter on a defect or group, `minConf` applies to another confidence.
      const isDependent = filters.minConf !== undefined && (name === 'defect' || name === 'master');
      const ids = await findFacetCombinations(db, rest);
      if (isDependent) own = await count(rest, ids, within(rest));
      else own = !shared.complete && ids !== undefined ? await count(rest, ids) : shared;
      if (own !== matches) ({ counts } = tally(own, rest));
    }
    complete &&= own.complete;
    facets.push([name, facetOf(counts[name], own.complete)]);
  }
  return {
    facets: Object.fromEntries(facets) as Record<FacetName, Facet>,
    complete,
    total: matches.total ?? (matches.complete ? all.total : undefined),
  };
}

interface Count {
  readonly kind: FacetCombination;
  readonly count: number;
}

interface Counts {
  readonly counted: readonly Count[];
  readonly complete: boolean;
  /** Of incomplete maintained counts: of all kinds. */
  readonly total?: number;
}

interface CountOptions {
  readonly db: Queryable;
  readonly combinations: FacetCombinations;
  readonly limits: FacetLimits;
  /** Matches of all kinds among the newest `maxTested` records. */
  readonly newest: () => Promise<readonly Count[]>;
  /** The number of records that are not hidden. */
  readonly visible: () => Promise<number>;
}

function once<Value>(run: () => Promise<Value>): () => Promise<Value> {
  let result: Promise<Value> | undefined;
  return () => (result ??= run());
}

/** Records without the defects have no confidence of them. */
const kindsWithConfidence = (db: Queryable, { minConf, defect }: Filters) =>
  minConf !== undefined && defect !== undefined ? findFacetCombinations(db, { defect }) : Promise.resolve(undefined);

async function countKinds(
  resolved: ResolvedFilters,
  { db, combinations, limits: { maxCounted, maxTested }, newest, visible }: CountOptions,
): Promise<Counts> {
  const { kinds } = resolved;
  if (hasOnlyFacets(resolved)) {
    return countMaintained(db, combinations, resolved);
  }
  const ofKinds = async () => {
    const ids = kinds && new Set(kinds);
    return (await newest()).filter(({ kind }) => ids?.has(kind.id) ?? true);
  };
  const stage = queryStage(resolved.expansion);
  // Reading `maxCounted` of a million records takes three times as long as testing the newest ones.
  if (isWholeCatalog(resolved)) {
    const sample = await ofKinds();
    const share = totalOf(sample) / maxTested;
    if (share * (await visible()) > 2 * maxCounted) return { counted: sample, complete: false };
  }
  const some = await countBy(
    db,
    combinations,
    (p) => `select r.facets, 1 as count from ${fromClause(stage, resolved, p)}
             where ${where(resolved, p)} and ${stage.rest(p)} limit ${maxCounted + 1}`,
  );
  if (totalOf(some) <= maxCounted) return { counted: some, complete: true };
  return { counted: await ofKinds(), complete: false };
}

const totalOf = (counted: readonly Count[]) => counted.reduce((sum, { count }) => sum + count, 0);

/** Whether the newest records are a sample of all that may match. */
const isWholeCatalog = ({ filters: { from, to, hidden } }: ResolvedFilters) => !(from || to || hidden);

async function countVisible(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ visible: number }>(
    'select coalesce(sum(count), 0)::bigint as visible from catalog_facet_counts',
  );
  return rows[0]!.visible;
}

function countNewest(
  db: Queryable,
  combinations: FacetCombinations,
  resolved: ResolvedFilters,
  { maxTested }: FacetLimits,
): Promise<Count[]> {
  const stage = queryStage(resolved.expansion);
  const words = (p: Binder) => stage.words?.(p, 'test') ?? 'true';
  return countBy(
    db,
    combinations,
    (
      p,
    ) => `select r.facets, 1 as count from ${firstRecords(resolved, ['r.created_at desc', 'r.number desc'], maxTested, p)}
             where ${where(resolved, p)} and ${words(p)} and ${stage.rest(p)}`,
  );
}

async function countBy(
  db: Queryable,
  combinations: FacetCombinations,
  from: (parameters: Binder) => string,
): Promise<Count[]> {
  const { bind, values } = createParameters();
  const { rows } = await db.query<{ text: string }>(
    `select ${COUNTS} as text
       from (select facets, sum(count) as count from (${from({ bind })}) m group by facets having sum(count) > 0) c`,
    values,
  );
  return read(db, combinations, rows[0]!.text);
}

/** The most frequent combinations, and the number of records of all. */
async function countMaintained(
  db: Queryable,
  combinations: FacetCombinations,
  resolved: ResolvedFilters,
): Promise<Counts> {
  const { bind, values } = createParameters();
  const { rows } = await db.query<{ text: string; kinds: number; total: number }>(
    `with c as materialized (
       select facets, sum(count)::bigint as count from (${maintained(resolved, { bind })}) m
        group by facets having sum(count) > 0)
     select (select ${COUNTS} from (select * from c order by count desc, facets limit ${MAX_COMBINATIONS}) first) as text,
            (select count(*) from c) as kinds, (select coalesce(sum(count), 0)::bigint from c) as total`,
    values,
  );
  const { text, kinds, total } = rows[0]!;
  const counted = await read(db, combinations, text);
  return kinds <= MAX_COMBINATIONS ? { counted, complete: true } : { counted, complete: false, total };
}

/** Counts that triggers maintain, without the records indexed since the snapshot. */
function maintained({ filters: { duplicates }, kinds, upTo }: ResolvedFilters, { bind }: Binder): string {
  const of = kinds === undefined ? 'true' : `facets = any(${bind(listOf(kinds))}::int[])`;
  const [count, isCounted] =
    duplicates === undefined
      ? ['count', 'true']
      : duplicates
        ? ['duplicates', 'duplicate']
        : ['count - duplicates', 'not duplicate'];
  return `select facets, ${count} as count from catalog_facet_counts where ${of}
          union all
          select facets, -1 from catalog_records where ${of} and ${isCounted} and not hidden and number > ${bind(upTo)}::bigint`;
}

async function read(db: Queryable, combinations: FacetCombinations, text: string): Promise<Count[]> {
  const numbers = text === '' ? [] : text.split(' ').map(Number);
  const ids = numbers.filter((_, i) => i % 2 === 0);
  const known = await combinations.load(db, ids);
  return ids.map((id, i) => ({ kind: known.get(id)!, count: numbers[2 * i + 1]! }));
}

function facetOf(counts: ReadonlyMap<string, number>, complete: boolean): Facet {
  return [...counts]
    .sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
    .slice(0, MAX_VALUES)
    .map(([value, count]) => ({ value, count: Math.min(count, MAX_COUNT), more: count > MAX_COUNT || !complete }));
}

/** Counts per value of each facet, in one pass: with all filters except the facet's own. */
function tally({ counted }: Counts, filters: Filters) {
  const { excluded = {} } = filters;
  const limited = FACET_NAMES.filter((name) => filters[name] ?? excluded[name]);
  const counts = Object.fromEntries(FACET_NAMES.map((name) => [name, new Map<string, number>()])) as unknown as Record<
    FacetName,
    Map<string, number>
  >;
  let total = 0;
  for (const { kind, count } of counted) {
    const unfit = limited.filter((name) => {
      const has = (value: string) => valuesOf(kind, name).includes(value);
      return !(filters[name]?.some(has) ?? true) || excluded[name]?.some(has);
    });
    if (unfit.length === 0) total += count;
    for (const name of unfit.length === 0 ? FACET_NAMES : unfit.length === 1 ? unfit : []) {
      for (const value of valuesOf(kind, name)) counts[name].set(value, (counts[name].get(value) ?? 0) + count);
    }
  }
  return { counts, total };
}

function valuesOf(kind: FacetCombination, name: FacetName): readonly string[] {
  if (name === 'defect') return kind.defects;
  if (name === 'tag') return kind.tags;
  const value = kind[name];
  return value === null ? [] : [value];
}

function without(filters: Filters, name: FacetName): Filters {
  const { [name]: _, excluded: { [name]: __, ...excluded } = {}, ...others } = filters;
  return { ...others, excluded };
}
