import type { Queryable } from '../../../base/db.ts';
import { COUNTS } from './facets.ts';
import { orderOf, stages } from './order.ts';
import type { QueryExpansion } from './query-expansion.ts';
import type { Page } from './search-types.ts';
import { createParameters, fromClause, type ResolvedFilters, where } from './where.ts';

export interface WordMatches {
  readonly total: number;
  /** In the format of `COUNTS`; undefined without facets. */
  readonly counts: string | undefined;
  readonly numbers: readonly number[];
}

/** One pass over all matches. */
export async function searchWords(
  db: Queryable,
  resolved: ResolvedFilters & { readonly expansion: QueryExpansion },
  { sort, page, limit, facets }: Page,
): Promise<WordMatches> {
  const { bind, values } = createParameters();
  const { kinds, ...withoutKinds } = resolved;
  const { keys, direction, types } = orderOf(sort, resolved.filters);
  const steps = stages(sort, resolved.expansion);
  const candidates = steps.map((stage, i) => {
    const columns = keys({ bind }).map((key, at) => `${key} as key${at}`);
    const from = fromClause(stage, { bind });
    return `select ${steps.length - i} as stage, r.number, r.facets, ${columns.join(', ')}
              from ${from}
             where ${where(facets ? withoutKinds : resolved, { bind })} and ${stage.rest({ bind })}`;
  });
  const kindFilter = facets && kinds ? `where facets = any(${bind(kinds)}::int[])` : '';
  const order = types.map((_, at) => `key${at} ${direction}`);
  const { rows } = await db.query<{ total: number; counts: string | null; numbers: number[] }>(
    `with candidate as materialized (${candidates.join(' union all ')})
     select (select count(*) from candidate ${kindFilter}) as total,
            ${facets ? `(select ${COUNTS} from (select facets, count(*) as count from candidate group by facets) c)` : 'null'} as counts,
            array(select number from candidate ${kindFilter} order by stage desc, ${order.join(', ')}
                   limit ${bind(limit)} offset ${bind((page - 1) * limit)}) as numbers`,
    values,
  );
  const { total, counts, numbers } = rows[0]!;
  return { total, numbers, counts: counts ?? undefined };
}
