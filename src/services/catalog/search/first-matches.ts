import type { Queryable } from '../../../base/db.ts';
import { newestRanges, readByRanges } from './by-ranges.ts';
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
  /** All results if they are at most `maxCount`, else the first `sampleSize`. */
  readonly sample: readonly number[];
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
 * the matches of the stage are read and sorted. `sampleSize`: results to read even if
 * the page ends earlier; 0: none.
 */
export async function findFirstMatches(
  db: Queryable,
  written: FiltersAsWritten,
  page: Page,
  { maxCount, maxTested }: SearchLimits,
  sampleSize = 0,
): Promise<FirstMatches> {
  const { sort, after } = page;
  const end = page.page * page.limit;
  const wanted = Math.max(end, sampleSize);
  const isSampled = sampleSize > 0;
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
    const {
      count,
      first,
      counts: some,
      density,
    } = await readStage(db, within, page, stage, isSampled ? maxCount + end : end, maxCount + 1);
    total += count;
    if (some) counts.push(some);
    const needed = wanted - numbers.length;
    if (count > 0 && (needed > 0 || isSampled)) {
      if (numbers.length < end) last = i;
      numbers.push(
        ...(count <= maxCount || needed <= 0
          ? first
          : await readMany(db, within, page, stage, { needed, density, maxTested })),
      );
    }
    if (total > maxCount && numbers.length >= wanted) break;
  }
  const all = page.facets && after === undefined && total <= maxCount ? counts.join(' ') : undefined;
  const ofPage = numbers.slice(end - page.limit, end);
  const sample = total <= maxCount ? numbers : numbers.slice(0, sampleSize);
  return { total, numbers: ofPage, sample, stage: last, resolved, counts: all };
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
  if (page.sort === 'confidence') return (await readStage(db, resolved, page, stage, needed)).first;
  const first = await readByRanges(db, resolved, page, stage, needed, density);
  if (first) return first;
  const mayBeTested = needed <= density * maxTested * 1.5;
  const tested = mayBeTested ? await testRecords(db, resolved, page, stage, needed, maxTested) : [];
  return tested.length === needed ? tested : (await readStage(db, resolved, page, stage, needed)).first;
}

interface StageMatches {
  readonly count: number;
  readonly first: number[];
  readonly counts: string | null;
  /** Matches per record, estimated from those that were read. */
  readonly density: number;
}

/** Ranges of the newest records that are searched one after the other for a word of a large catalog. */
const PROBED_RANGES = [4, 20, 128];
const MIN_PROBED = 64 * RANGE_SIZE;

/**
 * The number of matches, and the first `needed` ones in order; with `max` of some matches only. The list of a common word in the
 * index is as long as the catalog is large; there the newest records show that there are `max` matches, if they have as many.
 */
async function readStage(
  db: Queryable,
  resolved: ResolvedFilters,
  { sort, facets }: Page,
  stage: Stage,
  needed: number,
  max?: number,
): Promise<StageMatches> {
  const { bind, values } = createParameters();
  const { keys, direction } = orderOf(sort, resolved.filters);
  const columns = keys({ bind }).map((key, i) => `${key} as key${i}`);
  const order = columns.map((_, i) => `key${i} ${direction}`);
  const matches = (most: number | string, ranges?: readonly number[]) => `
    select r.number, r.facets, ${columns.join(', ')} from ${fromClause(stage, resolved, { bind }, ranges)}
     where ${where(resolved, { bind })} and ${stage.rest({ bind })} limit ${most}`;
  const isProbed = max !== undefined && stage.words !== undefined && resolved.upTo > MIN_PROBED;
  const probes = PROBED_RANGES.map((count, i) => ({ count, skipped: sum(PROBED_RANGES.slice(0, i)) })).filter(
    // Half of the ranges are not read in less time than the whole list.
    ({ count, skipped }) => isProbed && 2 * (skipped + count) * RANGE_SIZE <= resolved.upTo,
  );
  const found = (steps: number) =>
    probes
      .slice(0, steps)
      .map((_, i) => `(select count(*) from probe${i})`)
      .join(' + ') || '0';
  const lists = [
    ...probes.map(({ count, skipped }, i) => {
      // Only if there are enough in these ranges, estimated from the first ones.
      const enough = `${found(1)} * ${(skipped + count) / PROBED_RANGES[0]!} >= ${max}`;
      const most = `(case when ${enough} then greatest(${max} - (${found(i)}), 0) else 0 end)`;
      return `probe${i} as materialized (${matches(i === 0 ? max! : most, newestRanges(resolved, count, skipped))})`;
    }),
    `m as materialized (${matches(isProbed ? `(case when ${found(probes.length)} < ${max} then ${max} else 0 end)` : (max ?? 'all'))})`,
  ];
  const density = isProbed
    ? `${found(1)}::float8 / ${PROBED_RANGES[0]! * RANGE_SIZE}`
    : '(select count(*)::float8 / greatest(max(number), 1) from m)';
  const text = `with ${lists.join(', ')}
     select greatest(${found(probes.length)}, (select count(*) from m)) as count, ${density} as density,
            ${facets ? `(select ${COUNTS} from (select facets, count(*) as count from m group by facets) c)` : 'null'} as counts,
            array(select number from m order by ${order.join(', ')} limit ${bind(needed)}) as first`;
  const { rows } = await db.query<StageMatches>(stage.words ? prepare(text) : text, values);
  return rows[0]!;
}

const sum = (counts: readonly number[]) => counts.reduce((a, b) => a + b, 0);

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
