import type { Queryable } from '../../../base/db.ts';
import { orderOf, stages } from './order.ts';
import { MAX_COUNT, type Page } from './search-types.ts';
import { createParameters, fromClause, type ResolvedFilters, type Stage, scope, where } from './where.ts';

export interface SearchLimits {
  /** Larger totals of pages without facets are reported as this one with `more`. */
  readonly maxCount: number;
  /** Records that are tested one by one for a common word. */
  readonly maxTested: number;
}

/** Testing 10 000 records takes 10 ms. */
export const SEARCH_LIMITS: SearchLimits = { maxCount: MAX_COUNT, maxTested: 10_000 };

export interface FirstMatches {
  /** Greater than `maxCount`: at least that many. */
  readonly total: number;
  readonly numbers: readonly number[];
}

/**
 * One page of matches without reading all of them. A stage with at most `maxCount` matches is read and sorted. More matches
 * are so frequent that the page is among the newest or oldest records. Undefined if it is not, or if the order requires
 * all matches.
 */
export async function findFirstMatches(
  db: Queryable,
  resolved: ResolvedFilters,
  page: Page,
  limits: SearchLimits,
): Promise<FirstMatches | undefined> {
  const end = page.page * page.limit;
  const numbers: number[] = [];
  let total = 0;
  for (const stage of stages(page.sort, resolved.expansion)) {
    if (total > limits.maxCount && numbers.length >= end) break;
    const { count, first } = await readStage(db, resolved, page, stage, limits);
    total += count;
    const needed = end - numbers.length;
    const next = count <= limits.maxCount ? first : await testRecords(db, resolved, page, stage, needed, limits);
    if (next === undefined) return undefined;
    numbers.push(...next);
  }
  return { total, numbers: numbers.slice(end - page.limit, end) };
}

/** The number of matches up to `maxCount + 1`, and the first ones in order when these are all. */
async function readStage(
  db: Queryable,
  resolved: ResolvedFilters,
  { sort, page, limit }: Page,
  stage: Stage,
  { maxCount }: SearchLimits,
): Promise<{ count: number; first: number[] }> {
  const { bind, values } = createParameters();
  const { keys, direction } = orderOf(sort, resolved.filters);
  const columns = keys({ bind }).map((key, i) => `${key} as key${i}`);
  const order = columns.map((_, i) => `key${i} ${direction}`);
  const { rows } = await db.query<{ count: number; first: number[] | null }>(
    `select count(*) as count, (array_agg(number order by ${order.join(', ')}))[1:${bind(page * limit)}::int] as first
       from (select r.number, ${columns.join(', ')} from ${fromClause(stage, { bind })}
              where ${where(resolved, { bind })} and ${stage.rest({ bind })} limit ${maxCount + 1}) m`,
    values,
  );
  const { count, first } = rows[0]!;
  return { count, first: first ?? [] };
}

/** The first `needed` matches of a stage among the first `maxTested` records; undefined if there are fewer. */
async function testRecords(
  db: Queryable,
  resolved: ResolvedFilters,
  { sort }: Page,
  stage: Stage,
  needed: number,
  { maxTested }: SearchLimits,
): Promise<number[] | undefined> {
  if (needed <= 0) return [];
  if (sort === 'confidence') return undefined;
  const { bind, values } = createParameters();
  const { keys, direction } = orderOf(sort, resolved.filters);
  const order = keys({ bind }).map((key) => `${key} ${direction}`);
  const conditions = [where(resolved, { bind }), stage.words?.({ bind }, 'test') ?? 'true', stage.rest({ bind })];
  const { rows } = await db.query<{ number: number }>(
    `select r.number
       from (select * from catalog_records r where ${scope(resolved, { bind })}
              order by ${order.join(', ')} limit ${maxTested}) r
      where ${conditions.join(' and ')}
      order by ${order.join(', ')} limit ${bind(needed)}`,
    values,
  );
  return rows.length === needed ? rows.map(({ number }) => number) : undefined;
}
