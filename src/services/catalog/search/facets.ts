import type { Queryable } from '../../../base/db.ts';
import type { Filters } from './filters.ts';
import type { Facet, FacetName } from './found.ts';
import type { Kind, Kinds } from './kinds.ts';
import { kindsOf } from './narrow.ts';
import { parameters } from './statement.ts';
import { found, type Narrowed, records, type Say, where } from './where.ts';

const NAMES: readonly FacetName[] = ['service', 'status', 'surface', 'master', 'defect'];

/** So many values of a facet are told. */
const MOST_VALUES = 100;
const MOST_COUNTED = 1000;

/** The facets of a search, and how many records it finds. Records are counted by kind, once for all facets. */
export async function countFacets(
  db: Queryable,
  kinds: Kinds,
  narrowed: Narrowed,
  /** Where they are known already: as {@link COUNTS} tells them, whatever `narrowed` says of kinds. */
  known?: string,
): Promise<{ total: number; facets: Record<FacetName, Facet> }> {
  const { filters } = narrowed;
  const all = await read(db, kinds, known ?? (await countKinds(db, narrowed)));
  const counted = new Map<FacetName, readonly Counted[]>();
  // Without the filter on a defect or a group, `minConf` is about something else, and other records are counted.
  const apart = filters.minConf === undefined ? [] : (['defect', 'master'] as const);
  for (const own of apart.filter((name) => filters[name] !== undefined)) {
    const others = await countKinds(db, { ...narrowed, filters: without(filters, own) });
    counted.set(own, await read(db, kinds, others));
  }
  const facets = NAMES.map((name) => [name, facetOf(name, counted.get(name) ?? all, without(filters, name))] as const);
  const fits = fitting(filters);
  const total = all.reduce((sum, { kind, count }) => (fits(kind) ? sum + count : sum), 0);
  return { total, facets: Object.fromEntries(facets) as Record<FacetName, Facet> };
}

/** Of rows with a `kind`: kinds and how many of each, as one text, since thousands of rows take their time on the way. */
export const COUNTS = `coalesce(string_agg(kind || ' ' || count, ' '), '')`;

/** How many records a search finds. */
export async function countAll(db: Queryable, narrowed: Narrowed): Promise<number> {
  const { say, values } = parameters();
  const { rows } = await db.query<{ count: number }>(`select count(*) as count from ${all(narrowed, { say })}`, values);
  return rows[0]!.count;
}

/** What is counted, and what of it. */
function all(narrowed: Narrowed, parameters: Say): string {
  const stage = found(narrowed.meant);
  return `${records(stage, parameters)} where ${where(narrowed, parameters)} and ${stage.rest(parameters)}`;
}

interface Counted {
  readonly kind: Kind;
  readonly count: number;
}

/** Of every kind, those that the narrowed do not want too: facets are about what another choice would find. */
async function countKinds(db: Queryable, { kinds: _, ...others }: Narrowed): Promise<string> {
  const { minConf, defect } = others.filters;
  // What has not the defect has no confidence of it.
  const having = minConf !== undefined && defect !== undefined ? await kindsOf(db, { defect }) : undefined;
  const narrowed = { ...others, ...(having && { kinds: having }) };
  const { say, values } = parameters();
  const { rows } = await db.query<{ counts: string }>(
    `select ${COUNTS} as counts
       from (select r.kind, count(*) as count from ${all(narrowed, { say })} group by r.kind) c`,
    values,
  );
  return rows[0]!.counts;
}

async function read(db: Queryable, kinds: Kinds, counts: string): Promise<Counted[]> {
  const numbers = counts === '' ? [] : counts.split(' ').map(Number);
  const ids = numbers.filter((_, i) => i % 2 === 0);
  const known = await kinds.of(db, ids);
  return ids.map((id, i) => ({ kind: known.get(id)!, count: numbers[2 * i + 1]! }));
}

function facetOf(name: FacetName, counted: readonly Counted[], filters: Filters): Facet {
  const counts = new Map<string, number>();
  const fits = fitting(filters);
  for (const { kind, count } of counted) {
    if (!fits(kind)) continue;
    for (const value of valuesOf(kind, name)) counts.set(value, (counts.get(value) ?? 0) + count);
  }
  return [...counts]
    .sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
    .slice(0, MOST_VALUES)
    .map(([value, count]) => ({ value, count: Math.min(count, MOST_COUNTED), more: count > MOST_COUNTED }));
}

/** Whether records of a kind pass the filters that are about kinds. */
function fitting(filters: Filters): (kind: Kind) => boolean {
  const wanted = NAMES.filter((name) => filters[name] !== undefined);
  return (kind) => wanted.every((name) => valuesOf(kind, name).includes(filters[name]!));
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
