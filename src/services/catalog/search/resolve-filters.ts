import type { Queryable, Transaction } from '../../../base/db.ts';
import { expandQuery } from './query-expansion.ts';
import { FACET_NAMES, type FacetName, type Filters } from './search-types.ts';
import { createParameters, type ResolvedFilters } from './where.ts';

// The planner underestimates sequential scans, because search vectors are stored out of line. Two edits of nine letters
// leave a quarter of the trigrams equal. The default of 4 MB for the bitmap of a common word's records is exceeded at a
// million records: PostgreSQL then reads the vectors of all records on the same pages.
export const PLANNER_OPTIONS =
  "set local jit = off; set local enable_seqscan = off; set local work_mem = '32MB'; set local pg_trgm.similarity_threshold = 0.25";

/** Settings of a transaction that searches. */
export const SNAPSHOT = `set transaction isolation level repeatable read, read only; ${PLANNER_OPTIONS}`;

/** Requires {@link SNAPSHOT}, or its planner options. `upTo`: from an earlier page. */
export async function resolveFilters(
  db: Transaction,
  filters: Filters,
  upTo: number | undefined,
): Promise<ResolvedFilters> {
  const { rows } = await db.query<{ latest: number; ids: number[] }>(LATEST, [filters.q?.replaceAll('\0', '')]);
  const { latest, ids } = rows[0]!;
  const kinds = await findFacetCombinations(db, filters);
  return {
    filters,
    ...(filters.q !== undefined && { expansion: { ...(await expandQuery(db, filters.q)), ids } }),
    ...(kinds && { kinds }),
    ...(filters.hasReport !== undefined && { reported: await reported(db) }),
    upTo: Math.min(upTo ?? latest, latest),
  };
}

const LATEST = {
  name: 'catalog-latest',
  text: `
    select (select coalesce(max(number), 0) from catalog_records) as latest,
           array(select number from catalog_records where record_id = $1
                 union
                 select number from (select number from catalog_records where task_id = $1 limit 10) own) as ids`,
};

async function reported(db: Queryable): Promise<number[]> {
  const { rows } = await db.query<{ number: number }>(
    `select distinct r.number
       from reports p join catalog_records r using (record_id)
      where p.status in ('open', 'in_review')`,
  );
  return rows.map(({ number }) => number);
}

/** Undefined without facet filters. */
export async function findFacetCombinations(db: Queryable, filters: Filters): Promise<number[] | undefined> {
  const { bind, values } = createParameters();
  const has = (name: FacetName, wanted: readonly string[]) =>
    name === 'defect' || name === 'tag'
      ? `${name}s && ${bind(wanted)}::text[]`
      : `${name} = any(${bind(wanted)}::text[])`;
  const conditions = FACET_NAMES.flatMap((name) => {
    const { [name]: wanted, excluded: { [name]: unwanted } = {} } = filters;
    return [...(wanted ? [has(name, wanted)] : []), ...(unwanted ? [`(${has(name, unwanted)}) is not true`] : [])];
  });
  if (conditions.length === 0) return undefined;
  const { rows } = await db.query<{ id: number }>(
    `select id from catalog_facet_combinations where ${conditions.join(' and ')}`,
    values,
  );
  return rows.map(({ id }) => id);
}
