import type { Queryable } from '../../../base/db.ts';
import type { Meant } from './expand.ts';
import { COUNTS } from './facets.ts';
import type { Page } from './found.ts';
import { orderOf, stages } from './order.ts';
import { parameters } from './statement.ts';
import { type Narrowed, records, where } from './where.ts';

export interface Candidates {
  readonly total: number;
  /** In the format of `COUNTS`; undefined without facets. */
  readonly counts: string | undefined;
  readonly numbers: readonly number[];
}

/** One pass over all matches. */
export async function findWords(
  db: Queryable,
  resolved: Narrowed & { readonly expansion: Meant },
  { sort, page, limit, facets }: Page,
): Promise<Candidates> {
  const { bind, values } = parameters();
  const { kinds, ...withoutKinds } = resolved;
  const { keys, direction, types } = orderOf(sort, resolved.filters);
  const steps = stages(sort, resolved.expansion);
  const candidates = steps.map((stage, i) => {
    const columns = keys({ bind }).map((key, at) => `${key} as key${at}`);
    const from = records(stage, { bind });
    return `select ${steps.length - i} as stage, r.number, r.kind, ${columns.join(', ')}
              from ${from}
             where ${where(facets ? withoutKinds : resolved, { bind })} and ${stage.rest({ bind })}`;
  });
  const kindFilter = facets && kinds ? `where kind = any(${bind(kinds)}::int[])` : '';
  const order = types.map((_, at) => `key${at} ${direction}`);
  const { rows } = await db.query<{ total: number; counts: string | null; numbers: number[] }>(
    `with candidate as materialized (${candidates.join(' union all ')})
     select (select count(*) from candidate ${kindFilter}) as total,
            ${facets ? `(select ${COUNTS} from (select kind, count(*) as count from candidate group by kind) c)` : 'null'} as counts,
            array(select number from candidate ${kindFilter} order by stage desc, ${order.join(', ')}
                   limit ${bind(limit)} offset ${bind((page - 1) * limit)}) as numbers`,
    values,
  );
  const { total, counts, numbers } = rows[0]!;
  return { total, numbers, counts: counts ?? undefined };
}
