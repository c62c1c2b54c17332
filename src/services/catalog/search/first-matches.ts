import type { Queryable } from '../../../base/db.ts';
import { isAfter, orderOf, stages } from './order.ts';
import type { FiltersAsWritten } from './resolve-filters.ts';
import { MAX_COUNT, type Page } from './search-types.ts';
import {
  COUNTS,
  createParameters,
  firstRecords,
  fromClause,
  type ResolvedFilters,
  type Stage,
  where,
} from './where.ts';

export interface SearchLimits {
  /** Larger totals are reported as this one with `more`, unless the facets are counted completely. */
  readonly maxCount: number;
  /** Records that are tested one by one for a common word, and for facets of more than `maxCounted` matches. */
  readonly maxTested: number;
  /** Matches that facets count exactly: reading 10 000 of a million records took 100 ms. */
  readonly maxCounted: number;
}

/** Testing 10 000 records takes 10 ms. */
export const SEARCH_LIMITS: SearchLimits = { maxCount: MAX_COUNT, maxTested: 10_000, maxCounted: 5_000 };

export interface FirstMatches {
  /** Greater than `maxCount`: at least that many. */
  readonly total: number;
  readonly numbers: readonly number[];
  /** Of the last number. */
  readonly stage: number;
  /** With the alternatives of the words, if they were needed. */
  readonly resolved: ResolvedFilters;
  /** Of all matches, in the format of {@link COUNTS}; only with facets and up to `maxCount` matches. */
  readonly counts: string | undefined;
}

/**
 * One page of matches without reading all of them. A stage with at most `maxCount` matches is read and sorted. More matches
 * are so frequent that the page is found among the newest or oldest records, or in an index in the order of the page; else
 * the matches of the stage are read and sorted.
 */
export async function findFirstMatches(
  db: Queryable,
  written: FiltersAsWritten,
  page: Page,
  { maxCount, maxTested }: SearchLimits,
): Promise<FirstMatches> {
  const { sort, after } = page;
  const end = page.page * page.limit;
  const numbers: number[] = [];
  const counts: string[] = [];
  let total = 0;
  let last = 0;
  let { resolved } = written;
  for await (const [i, stage, narrowed] of stagesOf(written, page)) {
    resolved = narrowed;
    if (i < (after?.stage ?? 0)) continue;
    const within =
      i === after?.stage ? { ...resolved, after: isAfter(orderOf(sort, resolved.filters), after.keys) } : resolved;
    const { count, first, counts: some } = await readStage(db, within, page, stage, maxCount + 1);
    total += count;
    if (some) counts.push(some);
    const needed = end - numbers.length;
    if (count > 0 && needed > 0) {
      last = i;
      numbers.push(...(count <= maxCount ? first : await readMany(db, within, page, stage, { needed, maxTested })));
    }
    if (total > maxCount && numbers.length >= end) break;
  }
  const all = page.facets && after === undefined && total <= maxCount ? counts.join(' ') : undefined;
  return { total, numbers: numbers.slice(end - page.limit, end), stage: last, resolved, counts: all };
}

/** With the filters that they need: only the last stage and the facets need the alternatives of the words. */
async function* stagesOf(
  { resolved: written, withAlternatives }: FiltersAsWritten,
  { sort, facets }: Page,
): AsyncGenerator<[number, Stage, ResolvedFilters]> {
  const exact = sort === 'relevance' && !facets ? stages(sort, written.expansion) : [];
  for (const [i, stage] of exact.entries()) yield [i, stage, written];
  const resolved = await withAlternatives();
  for (const [i, stage] of stages(sort, resolved.expansion).entries()) {
    if (i >= exact.length) yield [i, stage, resolved];
  }
}

async function readMany(
  db: Queryable,
  resolved: ResolvedFilters,
  page: Page,
  stage: Stage,
  { needed, maxTested }: { needed: number; maxTested: number },
): Promise<readonly number[]> {
  if (stage.words === undefined) return testRecords(db, resolved, page, stage, needed);
  const newest = page.sort === 'confidence' ? [] : await testRecords(db, resolved, page, stage, needed, maxTested);
  return newest.length === needed ? newest : (await readStage(db, resolved, page, stage)).first;
}

/** The number of matches, and the first ones of a page in order; of some matches only with `max`. */
async function readStage(
  db: Queryable,
  resolved: ResolvedFilters,
  { sort, page, limit, facets }: Page,
  stage: Stage,
  max?: number,
): Promise<{ count: number; first: number[]; counts: string | null }> {
  const { bind, values } = createParameters();
  const { keys, direction } = orderOf(sort, resolved.filters);
  const columns = keys({ bind }).map((key, i) => `${key} as key${i}`);
  const order = columns.map((_, i) => `key${i} ${direction}`);
  const { rows } = await db.query<{ count: number; first: number[]; counts: string | null }>(
    `with m as materialized (
       select r.number, r.facets, ${columns.join(', ')} from ${fromClause(stage, resolved, { bind })}
        where ${where(resolved, { bind })} and ${stage.rest({ bind })} limit ${max ?? 'all'})
     select (select count(*) from m) as count,
            ${facets ? `(select ${COUNTS} from (select facets, count(*) as count from m group by facets) c)` : 'null'} as counts,
            array(select number from m order by ${order.join(', ')} limit ${bind(page * limit)}) as first`,
    values,
  );
  return rows[0]!;
}

/** The first `needed` matches of a stage, among the first `max` records if given. */
async function testRecords(
  db: Queryable,
  resolved: ResolvedFilters,
  { sort }: Page,
  stage: Stage,
  needed: number,
  max?: number,
): Promise<number[]> {
  const { bind, values } = createParameters();
  const { keys, direction } = orderOf(sort, resolved.filters);
  const order = keys({ bind }).map((key) => `${key} ${direction}`);
  const from = max === undefined ? 'catalog_records r' : firstRecords(resolved, order, max, { bind });
  const conditions = [where(resolved, { bind }), stage.words?.({ bind }, 'test') ?? 'true', stage.rest({ bind })];
  const { rows } = await db.query<{ number: number }>(
    `select r.number from ${from} where ${conditions.join(' and ')} order by ${order.join(', ')} limit ${bind(needed)}`,
    values,
  );
  return rows.map(({ number }) => number);
}
