import type { Queryable } from '../../../base/db.ts';
import { findFacetCombinations } from './resolve-filters.ts';
import { FACET_NAMES, type Facet, type FacetName, type Filters, MAX_COUNT } from './search-types.ts';
import { type Binder, createParameters, fromClause, queryStage, type ResolvedFilters, where } from './where.ts';

const MAX_VALUES = 100;

/** Counts records per facet combination, once for all facets. */
export async function countFacets(
  db: Queryable,
  kinds: FacetCombinations,
  resolved: ResolvedFilters,
  /** In the format of {@link COUNTS}, without the filter of `kinds`. */
  known?: string,
): Promise<{ total: number; facets: Record<FacetName, Facet> }> {
  const { filters } = resolved;
  const all = await read(db, kinds, known ?? (await countKinds(db, resolved)));
  const counted = new Map<FacetName, readonly Counted[]>();
  // Without the filter on a defect or group, `minConf` applies to another confidence.
  const dependent = filters.minConf === undefined ? [] : (['defect', 'master'] as const);
  for (const own of dependent.filter((name) => filters[name] !== undefined)) {
    const others = await countKinds(db, { ...resolved, filters: without(filters, own) });
    counted.set(own, await read(db, kinds, others));
  }
  const facets = FACET_NAMES.map(
    (name) => [name, facetOf(name, counted.get(name) ?? all, without(filters, name))] as const,
  );
  const fits = matcher(filters);
  const total = all.reduce((sum, { kind, count }) => (fits(kind) ? sum + count : sum), 0);
  return { total, facets: Object.fromEntries(facets) as Record<FacetName, Facet> };
}

/** `facets count` pairs as one text: faster to transfer than thousands of rows. */
export const COUNTS = `coalesce(string_agg(facets || ' ' || count, ' '), '')`;

/** Stops at `max`. */
export async function countUpTo(db: Queryable, resolved: ResolvedFilters, max: number): Promise<number> {
  const { bind, values } = createParameters();
  const text = `select count(*) as count from (select from ${matches(resolved, { bind })} limit ${max}) m`;
  const { rows } = await db.query<{ count: number }>(text, values);
  return rows[0]!.count;
}

function matches(resolved: ResolvedFilters, parameters: Binder): string {
  const stage = queryStage(resolved.expansion);
  return `${fromClause(stage, parameters)} where ${where(resolved, parameters)} and ${stage.rest(parameters)}`;
}

interface Counted {
  readonly kind: FacetCombination;
  readonly count: number;
}

/** Ignores `kinds`: facets show what another choice would match. */
async function countKinds(db: Queryable, { kinds: _, ...others }: ResolvedFilters): Promise<string> {
  const { minConf, defect } = others.filters;
  // Records without the defects have no confidence of them.
  const having =
    minConf !== undefined && defect !== undefined ? await findFacetCombinations(db, { defect }) : undefined;
  const resolved = { ...others, ...(having && { kinds: having }) };
  const { bind, values } = createParameters();
  const { rows } = await db.query<{ counts: string }>(
    `select ${COUNTS} as counts
       from (select r.facets, count(*) as count from ${matches(resolved, { bind })} group by r.facets) c`,
    values,
  );
  return rows[0]!.counts;
}

async function read(db: Queryable, kinds: FacetCombinations, counts: string): Promise<Counted[]> {
  const numbers = counts === '' ? [] : counts.split(' ').map(Number);
  const ids = numbers.filter((_, i) => i % 2 === 0);
  const known = await kinds.load(db, ids);
  return ids.map((id, i) => ({ kind: known.get(id)!, count: numbers[2 * i + 1]! }));
}

function facetOf(name: FacetName, counted: readonly Counted[], filters: Filters): Facet {
  const counts = new Map<string, number>();
  const fits = matcher(filters);
  for (const { kind, count } of counted) {
    if (!fits(kind)) continue;
    for (const value of valuesOf(kind, name)) counts.set(value, (counts.get(value) ?? 0) + count);
  }
  return [...counts]
    .sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
    .slice(0, MAX_VALUES)
    .map(([value, count]) => ({ value, count: Math.min(count, MAX_COUNT), more: count > MAX_COUNT }));
}

function matcher(filters: Filters): (kind: FacetCombination) => boolean {
  const { excluded = {} } = filters;
  const limited = FACET_NAMES.filter((name) => filters[name] ?? excluded[name]);
  return (kind) =>
    limited.every((name) => {
      const has = (value: string) => valuesOf(kind, name).includes(value);
      return (filters[name]?.some(has) ?? true) && !excluded[name]?.some(has);
    });
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

/** A combination of facet values that occurs in records. */
interface FacetCombination {
  readonly id: number;
  readonly service: string;
  readonly status: string;
  readonly surface: string | null;
  readonly master: string | null;
  readonly defects: readonly string[];
  readonly project: string | null;
  readonly tags: readonly string[];
}

export type FacetCombinations = ReturnType<typeof createFacetCombinations>;

const MAX_CACHED = 50_000;
const SELECT =
  'select id, service, status, surface, master, defects, project, tags from catalog_facet_combinations where id = any($1::int[])';

/** Combinations never change. */
export function createFacetCombinations() {
  let cache = new Map<number, FacetCombination>();
  return {
    async load(db: Queryable, ids: readonly number[]): Promise<ReadonlyMap<number, FacetCombination>> {
      // The callers in progress keep their map when a new one is started.
      const known = cache;
      const missing = ids.filter((id) => !known.has(id));
      if (missing.length === 0) return known;
      const { rows } = await db.query<FacetCombination>(SELECT, [missing]);
      for (const kind of rows) known.set(kind.id, kind);
      if (known.size > MAX_CACHED) cache = new Map();
      return known;
    },
  };
}
