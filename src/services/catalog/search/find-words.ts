import type { Queryable } from '../../../base/db.ts';
import type { Meant } from './expand.ts';
import { COUNTS } from './facets.ts';
import type { Page } from './found.ts';
import { orderOf, stages } from './order.ts';
import { parameters } from './statement.ts';
import { type Narrowed, records, where } from './where.ts';

/** What words have found. */
export interface Candidates {
  readonly total: number;
  /** By kind, as `COUNTS` tells them, of whatever kind; undefined where facets are not asked for. */
  readonly counts: string | undefined;
  /** Of the page, in its order. */
  readonly numbers: readonly number[];
}

/**
 * A page of what words find, how much that is altogether, and of which kinds. All that has the words is looked at once,
 * since it has to be counted: which of it stands on the page comes out on the way.
 */
export async function findWords(
  db: Queryable,
  narrowed: Narrowed & { readonly meant: Meant },
  { sort, page, limit, facets }: Page,
): Promise<Candidates> {
  const { say, values } = parameters();
  const { kinds, ...ofAnyKind } = narrowed;
  const { keys, direction, types } = orderOf(sort, narrowed.filters);
  const steps = stages(sort, narrowed.meant);
  const candidates = steps.map((stage, i) => {
    const columns = keys({ say }).map((key, at) => `${key} as key${at}`);
    const from = records(stage, { say });
    return `select ${steps.length - i} as stage, r.number, r.kind, ${columns.join(', ')}
              from ${from}
             where ${where(facets ? ofAnyKind : narrowed, { say })} and ${stage.rest({ say })}`;
  });
  const wanted = facets && kinds ? `where kind = any(${say(kinds)}::int[])` : '';
  const order = types.map((_, at) => `key${at} ${direction}`);
  const { rows } = await db.query<{ total: number; counts: string | null; numbers: number[] }>(
    `with candidate as materialized (${candidates.join(' union all ')})
     select (select count(*) from candidate ${wanted}) as total,
            ${facets ? `(select ${COUNTS} from (select kind, count(*) as count from candidate group by kind) c)` : 'null'} as counts,
            array(select number from candidate ${wanted} order by stage desc, ${order.join(', ')}
                   limit ${say(limit)} offset ${say((page - 1) * limit)}) as numbers`,
    values,
  );
  const { total, counts, numbers } = rows[0]!;
  return { total, numbers, counts: counts ?? undefined };
}
