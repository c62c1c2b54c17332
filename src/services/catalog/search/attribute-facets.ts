import type { Queryable } from '../../../base/db.ts';
import { type FirstMatches, findFirstMatches, type SearchLimits } from './first-matches.ts';
import type { AttributeFacet, Filters, KnownField, Sort } from './search-types.ts';

/** Of many results those whose fields are counted: finding the first 1 000 of a million by a range took 270 ms. */
export const ATTRIBUTES_SAMPLE = 200;
const MAX_FACETS = 20;
/** Filtered fields that are counted without their filter, each by a search. */
const MAX_RECOUNTED = 5;

/**
 * Counts the values of each field over all filters except the field's own: of all results if they are few, else of the first
 * {@link ATTRIBUTES_SAMPLE}.
 */
export async function countAttributes(
  db: Queryable,
  fields: readonly KnownField[],
  found: FirstMatches,
  sort: Sort,
  limits: SearchLimits,
): Promise<readonly AttributeFacet[]> {
  const { resolved } = found;
  const { attributes = [], excludedAttributes = [] } = resolved.filters;
  const filtered = new Set([...attributes, ...excludedAttributes].map(({ field }) => field));
  const shown = fields.filter(({ name, hasFewTexts }) => hasFewTexts && !name.includes('='));
  const names = shown.map(({ name }) => name);
  const count = (of: readonly string[], { sample, total }: FirstMatches) =>
    countTexts(db, of, sample, total <= limits.maxCount);
  let counts = names.length > 0 ? await count(names, found) : [];
  for (const name of names.filter((each) => filtered.has(each)).slice(0, MAX_RECOUNTED)) {
    const rest = { ...resolved, filters: withoutField(resolved.filters, name) };
    const written = { resolved: rest, withAlternatives: async () => rest };
    const page = { sort, page: 1, limit: 1, facets: false };
    const own = await count([name], await findFirstMatches(db, written, page, limits, ATTRIBUTES_SAMPLE));
    // A rare selected value may not be among the first results without the filter.
    const missing = counts.filter((each) => !own.some(({ value }) => each.field === name && each.value === value));
    counts = [...own, ...missing];
  }
  const facets = shown.map(({ name, label }) => ({
    field: name,
    label,
    values: counts
      .filter(({ field }) => field === name)
      .map(({ value, count, complete }) => ({
        ...{ value, count },
        more: !complete,
      })),
  }));
  const records = ({ values }: AttributeFacet) => values.reduce((sum, { count }) => sum + count, 0);
  return facets
    .filter(({ values }) => values.length > 0)
    .sort((a, b) => records(b) - records(a))
    .slice(0, MAX_FACETS);
}

interface TextCount {
  readonly field: string;
  readonly value: string;
  readonly count: number;
  readonly complete: boolean;
}

/** By descending count. */
async function countTexts(
  db: Queryable,
  fields: readonly string[],
  numbers: readonly number[],
  complete: boolean,
): Promise<readonly TextCount[]> {
  const { rows } = await db.query<Omit<TextCount, 'complete'>>(COUNT_TEXTS, [fields, numbers]);
  return rows.map((row) => ({ ...row, complete }));
}

const COUNT_TEXTS = {
  name: 'catalog-count-texts',
  text: `
    select f.field, f.text as value, count(*)::integer as count
      from unnest($2::bigint[]) as m (number)
     -- "offset 0": else PostgreSQL may read the whole table, because it takes the list of fields for a scan of each.
     cross join lateral (
           select c.field, c.text from catalog_fields c where c.number = m.number and c.text is not null offset 0) f
     where f.field = any($1::text[])
     group by f.field, f.text
     order by count desc, f.text`,
};

function withoutField(filters: Filters, name: string): Filters {
  const { attributes, excludedAttributes, ...rest } = filters;
  const others = <T extends typeof attributes>(all: T) => all?.filter(({ field }) => field !== name);
  const kept = others(attributes);
  const keptExcluded = others(excludedAttributes);
  return {
    ...rest,
    ...(kept && kept.length > 0 && { attributes: kept }),
    ...(keptExcluded && keptExcluded.length > 0 && { excludedAttributes: keptExcluded }),
  };
}
