import type { Queryable } from '../../../base/db.ts';
import { isAfter, orderOf, stages } from './order.ts';
import type { FiltersAsWritten } from './resolve-filters.ts';
import { MAX_COUNT, type Page } from './search-types.ts';
import {
  COUNTS,
  createParameters,
  firstRecords,
  fromClause,
  prepare,
  RANGE_SIZE,
  type ResolvedFilters,
  type Stage,
  scope,
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
    const { count, first, counts: some, density } = await readStage(db, within, page, stage, maxCount + 1);
    total += count;
    if (some) counts.push(some);
    const needed = end - numbers.length;
    if (count > 0 && needed > 0) {
      last = i;
      numbers.push(
        ...(count <= maxCount ? first : await readMany(db, within, page, stage, { needed, density, maxTested })),
      );
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

interface Wanted {
  readonly needed: number;
  readonly density: number;
  readonly maxTested: number;
}

async function readMany(
  db: Queryable,
  resolved: ResolvedFilters,
  page: Page,
  stage: Stage,
  { needed, density, maxTested }: Wanted,
): Promise<readonly number[]> {
  if (stage.words === undefined) return testRecords(db, resolved, page, stage, needed);
  if (page.sort === 'confidence') return (await readStage(db, resolved, page, stage)).first;
  const first = await readByRanges(db, resolved, page, stage, needed, density);
  if (first) return first;
  const tested = await testRecords(db, resolved, page, stage, needed, maxTested);
  return tested.length === needed ? tested : (await readStage(db, resolved, page, stage)).first;
}

interface StageMatches {
  readonly count: number;
  readonly first: number[];
  readonly counts: string | null;
  /** Matches per record, estimated from those that were read. */
  readonly density: number;
}

/** Ranges of the newest records that are searched first and next for a word of a large catalog. */
const NEWEST_RANGES = 4;
const NEXT_RANGES = 20;
const MIN_PROBED = 64 * RANGE_SIZE;

/**
 * The number of matches, and the first ones of a page in order; with `max` of some matches only. The list of a common word in the
 * index is as long as the catalog is large; there the newest records show that there are `max` matches, if they have as many.
 */
async function readStage(
  db: Queryable,
  resolved: ResolvedFilters,
  { sort, page, limit, facets }: Page,
  stage: Stage,
  max?: number,
): Promise<StageMatches> {
  const { bind, values } = createParameters();
  const { keys, direction } = orderOf(sort, resolved.filters);
  const columns = keys({ bind }).map((key, i) => `${key} as key${i}`);
  const order = columns.map((_, i) => `key${i} ${direction}`);
  const matches = (most: number | string, ranges?: readonly number[]) => `
    select r.number, r.facets, ${columns.join(', ')} from ${fromClause(stage, resolved, { bind }, ranges)}
     where ${where(resolved, { bind })} and ${stage.rest({ bind })} limit ${most}`;
  const countOf = (list: string) => `(select count(*) from ${list})`;
  const isProbed = max !== undefined && stage.words !== undefined && resolved.upTo > MIN_PROBED;
  const probed = isProbed && {
    newest: matches(max, newestRanges(resolved, NEWEST_RANGES)),
    next: matches(
      `(select case when count(*) * ${1 + NEXT_RANGES / NEWEST_RANGES} < ${max} then 0 else ${max} - count(*) end from newest)`,
      newestRanges(resolved, NEXT_RANGES, NEWEST_RANGES),
    ),
    found: `${countOf('newest')} + ${countOf('next')}`,
  };
  const text = `with ${
    probed
      ? `newest as materialized (${probed.newest}), next as materialized (${probed.next}),
           m as materialized (${matches(`(case when ${probed.found} < ${max} then ${max} else 0 end)`)})
     select greatest(${probed.found}, ${countOf('m')}) as count,
            ${countOf('newest')}::float8 / ${NEWEST_RANGES * RANGE_SIZE} as density`
      : `m as materialized (${matches(max ?? 'all')})
     select ${countOf('m')} as count, (select count(*)::float8 / greatest(max(number), 1) from m) as density`
  },
            ${facets ? `(select ${COUNTS} from (select facets, count(*) as count from m group by facets) c)` : 'null'} as counts,
            array(select number from m order by ${order.join(', ')} limit ${bind(page * limit)}) as first`;
  const { rows } = await db.query<StageMatches>(stage.words ? prepare(text) : text, values);
  return rows[0]!;
}

/** Of `count` ranges before the newest `skipped`. */
function newestRanges({ upTo }: ResolvedFilters, count: number, skipped = 0): number[] {
  return Array.from({ length: count }, (_, i) => Math.floor(upTo / RANGE_SIZE) - skipped - i);
}

/** PostgreSQL compares each entry of the index with all of the ranges. */
const MAX_RANGES = 400;

/**
 * The first matches by age, from the ranges of numbers that have them if matches are evenly distributed. Undefined if there are too
 * few in them, or if the first records are in too many ranges, as after an import in another order.
 */
async function readByRanges(
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
  const read = (ranges: readonly number[]) => readRanges(db, resolved, page, stage, needed, ranges);
  const isNewest = page.sort !== 'oldest' && !filters.to && !after;
  const newest = isNewest ? await read(newestRanges(resolved, Math.ceil(among / RANGE_SIZE))) : undefined;
  if (newest) return newest;
  const ranges = await rangesByAge(db, resolved, page, among);
  return ranges.length <= MAX_RANGES ? read(ranges) : undefined;
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

/** Undefined if matches of other ranges may be among the first. */
async function readRanges(
  db: Queryable,
  resolved: ResolvedFilters,
  { sort }: Page,
  stage: Stage,
  needed: number,
  ranges: readonly number[],
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
              select from (select r.number from catalog_records r
                            where ${scope(resolved, { bind })}
                              and (r.created_at, r.number) ${before} (select created_at, number from m ${inOrder(reverse!)} limit 1)
                           offset 0) other
               where (number / ${RANGE_SIZE})::integer not in (select unnest(${bind(ranges)}::int[]))) as complete`),
    values,
  );
  const { numbers, complete } = rows[0]!;
  return complete && numbers.length === needed ? numbers : undefined;
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
