import type { Queryable, Transaction } from '../../../base/db.ts';
import { expandAsWritten, expandQuery, type QueryWord } from './query-expansion.ts';
import { parseQuery } from './query-parser.ts';
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
  return (await resolveAsWritten(db, filters, upTo)).withAlternatives();
}

/** Without the alternatives of the words, which most pages of a frequent word do not need. */
export async function resolveAsWritten(
  db: Transaction,
  filters: Filters,
  upTo: number | undefined,
): Promise<FiltersAsWritten> {
  const { q } = filters;
  const query = parseQuery(q ?? '');
  const { rows } = await db.query<LatestRow>(LATEST, [q, [...new Set([...query.words, ...query.phrases.flat()])]]);
  const { latest, ids, words } = rows[0]!;
  const kinds = await findFacetCombinations(db, filters);
  const resolved: ResolvedFilters = {
    filters,
    ...(q !== undefined && { expansion: { ...expandAsWritten(query, words), ids } }),
    ...(kinds && { kinds }),
    ...(filters.hasReport !== undefined && { reported: await reported(db) }),
    upTo: Math.min(upTo ?? latest, latest),
  };
  return {
    resolved,
    withAlternatives: async () =>
      q === undefined ? resolved : { ...resolved, expansion: { ...(await expandQuery(db, query, words)), ids } },
  };
}

export interface FiltersAsWritten {
  readonly resolved: ResolvedFilters;
  readonly withAlternatives: () => Promise<ResolvedFilters>;
}

interface LatestRow {
  readonly latest: number;
  readonly ids: number[];
  readonly words: readonly QueryWord[];
}

const LATEST = {
  name: 'catalog-latest',
  text: `
    select (select coalesce(max(number), 0) from catalog_records) as latest,
           array(select number from catalog_records where record_id = $1
                 union
                 select number from (select number from catalog_records where task_id = $1 limit 10) own) as ids,
           (select coalesce(json_agg(json_build_object(
                     'word', word, 'stems', tsvector_to_array(to_tsvector('russian', word)),
                     'tsquery', to_tsquery('russian', word)::text)), '[]')
              from unnest($2::text[]) as word) as words`,
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
  // One text: there can be hundreds of thousands.
  const { rows } = await db.query<{ ids: string }>(
    `select coalesce(string_agg(id::text, ','), '') as ids from catalog_facet_combinations where ${conditions.join(' and ')}`,
    values,
  );
  const { ids } = rows[0]!;
  return ids === '' ? [] : ids.split(',').map(Number);
}
