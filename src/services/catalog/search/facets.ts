import type { Queryable } from '../../../base/db.ts';
import type { Filters } from './filters.ts';
import type { Facet, FacetName } from './found.ts';
import type { Kind, Kinds } from './kinds.ts';
import { parameters } from './statement.ts';
import { type Narrowed, where } from './where.ts';

const NAMES: readonly FacetName[] = ['service', 'status', 'surface', 'master', 'defect'];

/** So many values of a facet are told. */
const MOST_VALUES = 100;
const MOST_COUNTED = 1000;

/** The facets of a search, and how many records it finds. Records are counted by kind, once for all facets. */
export async function countFacets(
  db: Queryable,
  kinds: Kinds,
  narrowed: Narrowed,
): Promise<{ total: number; facets: Record<FacetName, Facet> }> {
  const { filters } = narrowed;
  // Without the filter on a defect or a group, `minConf` is about something else, and other records are counted.
  const apart = filters.minConf === undefined ? [] : (['defect', 'master'] as const);
  const counted = new Map<FacetName | undefined, readonly Counted[]>();
  for (const own of [undefined, ...apart.filter((name) => filters[name] !== undefined)]) {
    counted.set(own, await countKinds(db, kinds, { ...narrowed, filters: without(filters, own) }));
  }
  const all = counted.get(undefined)!;
  const facets = NAMES.map((name) => [name, facetOf(name, counted.get(name) ?? all, without(filters, name))] as const);
  const total = all.reduce((sum, { kind, count }) => (fits(kind, filters) ? sum + count : sum), 0);
  return { total, facets: Object.fromEntries(facets) as Record<FacetName, Facet> };
}

/** How many records a search finds. */
export async function countAll(db: Queryable, narrowed: Narrowed): Promise<number> {
  const { say, values } = parameters();
  const condition = where(narrowed, { say, values });
  const { rows } = await db.query<{ count: number }>(
    `select count(*) as count from catalog_records r where ${condition}`,
    values,
  );
  return rows[0]!.count;
}

interface Counted {
  readonly kind: Kind;
  readonly count: number;
}

/** Of every kind, those that the narrowed do not want too: facets are about what another choice would find. */
async function countKinds(db: Queryable, kinds: Kinds, { kinds: _, ...narrowed }: Narrowed): Promise<Counted[]> {
  const { say, values } = parameters();
  const condition = where(narrowed, { say, values });
  const { rows } = await db.query<{ kind: number; count: number }>(
    `select r.kind, count(*) as count from catalog_records r where ${condition} group by r.kind`,
    values,
  );
  const known = await kinds.of(
    db,
    rows.map(({ kind }) => kind),
  );
  return rows.map(({ kind, count }) => ({ kind: known.get(kind)!, count }));
}

function facetOf(name: FacetName, counted: readonly Counted[], filters: Filters): Facet {
  const counts = new Map<string, number>();
  for (const { kind, count } of counted) {
    if (!fits(kind, filters)) continue;
    for (const value of valuesOf(kind, name)) counts.set(value, (counts.get(value) ?? 0) + count);
  }
  return [...counts]
    .sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
    .slice(0, MOST_VALUES)
    .map(([value, count]) => ({ value, count: Math.min(count, MOST_COUNTED), more: count > MOST_COUNTED }));
}

/** Whether records of this kind pass the filters that are about kinds. */
function fits(kind: Kind, filters: Filters): boolean {
  return NAMES.every((name) => {
    const wanted = filters[name];
    return wanted === undefined || valuesOf(kind, name).includes(wanted);
  });
}

function valuesOf(kind: Kind, name: FacetName): readonly string[] {
  if (name === 'defect') return kind.defects;
  const value = kind[name];
  return value === null ? [] : [value];
}

function without(filters: Filters, name: FacetName | undefined): Filters {
  if (name === undefined) return filters;
  const { [name]: _, ...others } = filters;
  return others;
}
