import type { Queryable } from '../../../base/db.ts';
import { findFirstMatches, type SearchLimits } from './first-matches.ts';
import { type AttributeFacet, type Filters, type KnownField, MAX_COUNT } from './search-types.ts';
import type { ResolvedFilters } from './where.ts';

/** Reading the fields of 2 000 records takes 10 ms. */
const MAX_COUNTED = 2000;
const MAX_FACETS = 20;

/** Counts the values of each field among the newest matches, at most {@link MAX_COUNTED}, of all filters except the field's own. */
export async function countAttributes(
  db: Queryable,
  fields: readonly KnownField[],
  resolved: ResolvedFilters,
  limits: SearchLimits,
): Promise<readonly AttributeFacet[]> {
  const { attributes = [], excludedAttributes = [] } = resolved.filters;
  const filtered = new Set([...attributes, ...excludedAttributes].map(({ field }) => field));
  const shown = fields.filter(({ name, hasFewTexts }) => (hasFewTexts && !name.includes('=')) || filtered.has(name));
  const count = (of: readonly string[], within: ResolvedFilters) => countTexts(db, of, within, limits);
  const names = shown.map(({ name }) => name);
  const others = names.filter((name) => !filtered.has(name));
  const counts = others.length > 0 ? [...(await count(others, resolved))] : [];
  for (const name of names.filter((each) => filtered.has(each))) {
    counts.push(...(await count([name], { ...resolved, filters: withoutField(resolved.filters, name) })));
  }
  const facets = shown.map(({ name, label }) => ({
    field: name,
    label,
    values: counts
      .filter(({ field }) => field === name)
      .map(({ value, count, complete }) => ({
        ...{ value, count: Math.min(count, MAX_COUNT) },
        more: count > MAX_COUNT || !complete,
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
  resolved: ResolvedFilters,
  limits: SearchLimits,
): Promise<readonly TextCount[]> {
  const page = { sort: 'newest', page: 1, limit: MAX_COUNTED, facets: false } as const;
  const { numbers } = await findFirstMatches(db, { resolved, withAlternatives: async () => resolved }, page, limits);
  const { rows } = await db.query<Omit<TextCount, 'complete'>>(COUNT_TEXTS, [fields, numbers]);
  return rows.map((row) => ({ ...row, complete: numbers.length < MAX_COUNTED }));
}

const COUNT_TEXTS = {
  name: 'catalog-count-texts',
  text: `
    select f.field, f.text as value, count(*)::integer as count
      from unnest($2::bigint[]) as m (number)
      join catalog_fields f using (number)
     where f.field = any($1::text[]) and f.text is not null
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
