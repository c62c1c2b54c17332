import type { Queryable } from '../../../base/db.ts';
import { orderOf } from './order.ts';
import type { Page } from './search-types.ts';
import {
  type Condition,
  createParameters,
  fromClause,
  prepare,
  RANGE_SIZE,
  type ResolvedFilters,
  type Stage,
  scope,
  where,
} from './where.ts';

/** Of `count` ranges before the newest `skipped`. */
export function newestRanges({ upTo }: ResolvedFilters, count: number, skipped = 0): number[] {
  return Array.from({ length: count }, (_, i) => Math.floor(upTo / RANGE_SIZE) - skipped - i).filter(
    (range) => range >= 0,
  );
}

/** With more, the index is not read in less time than without ranges. */
const MAX_RANGES = 400;

/**
 * The first matches by age, from the ranges of numbers that have them if matches are evenly distributed. Undefined if there are too
 * few in them, or if the first records are in too many ranges, as after an import in another order.
 */
export async function readByRanges(
  db: Queryable,
  resolved: ResolvedFilters,
  page: Page,
  stage: Stage,
  needed: number,
  density: number,
): Promise<readonly number[] | undefined> {
  const { filters, after, upTo } = resolved;
  // Half as many again, and a few for chance.
  const among = Math.ceil(((needed + 10) * 1.5) / density);
  if (!(among <= Math.min(MAX_RANGES * RANGE_SIZE, upTo / 2))) return undefined;
  const read = (ranges: readonly number[], outside: Condition) =>
    readRanges(db, resolved, page, stage, needed, ranges, outside);
  if (page.sort !== 'oldest' && !filters.to && !after) {
    const ranges = newestRanges(resolved, Math.ceil(among / RANGE_SIZE));
    const found = await read(ranges, ({ bind }) => `r.number < ${bind(ranges.at(-1)! * RANGE_SIZE)}::bigint`);
    if (found) return found;
  }
  const ranges = await rangesByAge(db, resolved, page, among);
  if (ranges.length > MAX_RANGES) return undefined;
  return read(
    ranges,
    ({ bind }) => `(r.number / ${RANGE_SIZE})::integer not in (select unnest(${bind(ranges)}::int[]))`,
  );
}

/** Of the first `among` records. */
async function rangesByAge(
  db: Queryable,
  resolved: ResolvedFilters,
  { sort }: Page,
  among: number,
): Promise<readonly number[]> {
  const { bind, values } = createParameters();
  const { keys, direction } = orderOf(sort, resolved.filters);
  const order = keys({ bind }).map((key) => `${key} ${direction}`);
  const { rows } = await db.query<{ range: number }>(
    `select distinct (number / ${RANGE_SIZE})::integer as range
       from (select r.number from catalog_records r where ${scope(resolved, { bind })} order by ${order.join(', ')} limit ${bind(among)}) r`,
    values,
  );
  return rows.map(({ range }) => range);
}

/** Undefined if matches `outside` of the ranges may be among the first. */
async function readRanges(
  db: Queryable,
  resolved: ResolvedFilters,
  { sort }: Page,
  stage: Stage,
  needed: number,
  ranges: readonly number[],
  outside: Condition,
): Promise<readonly number[] | undefined> {
  const { bind, values } = createParameters();
  const [order, reverse, before] = sort === 'oldest' ? ['asc', 'desc', '<'] : ['desc', 'asc', '>'];
  const inOrder = (direction: string) => `order by created_at ${direction}, number ${direction}`;
  const { rows } = await db.query<{ numbers: number[]; complete: boolean }>(
    prepare(`with m as materialized (
       select r.created_at, r.number from ${fromClause(stage, resolved, { bind }, ranges)}
        where ${where(resolved, { bind })} and ${stage.rest({ bind })} ${inOrder(order!)} limit ${bind(needed)})
     select array(select number from m ${inOrder(order!)}) as numbers,
            not exists (
              select from catalog_records r
               where ${scope(resolved, { bind })}
                 and (r.created_at, r.number) ${before} (select created_at, number from m ${inOrder(reverse!)} limit 1)
                 and ${outside({ bind })}) as complete`),
    values,
  );
  const { numbers, complete } = rows[0]!;
  return complete && numbers.length === needed ? numbers : undefined;
}
