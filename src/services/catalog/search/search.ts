import { CLIENT_LIMIT_MS, type Db, type Queryable } from '../../../base/db.ts';
import type { PictureFeatures } from '../../shared/picture-features.ts';
import { countFacets, countUpTo, createFacetCombinations, type FacetCombinations } from './facets.ts';
import { findFirstMatches, SEARCH_LIMITS, type SearchLimits } from './first-matches.ts';
import { HIT_COLUMNS, type HitRow, hitOf, readHits } from './hits.ts';
import { findNumberFields } from './number-fields.ts';
import { orderOf } from './order.ts';
import { beginSnapshot, resolveFilters } from './resolve-filters.ts';
import type { Filters, Hit, Page, Row, SearchResult, Sort } from './search-types.ts';
import { findSimilar, findSimilarToPicture, type SimilarOptions } from './similar.ts';
import { createSnippets } from './snippet.ts';
import { streamRecords } from './stream.ts';
import { createParameters, type ResolvedFilters, where } from './where.ts';
import { searchWords } from './word-search.ts';

export type Search = ReturnType<typeof createSearch>;

/** Excludes hidden records unless `filters.hidden` is set. */
export function createSearch(db: Db, limits = SEARCH_LIMITS) {
  const kinds = createFacetCombinations();
  return {
    find: (filters: Filters, page: Page) => findRecords(db, kinds, filters, page, limits),
    /** At most a million, in constant memory. */
    stream: (filters: Filters, sort: Sort) => streamRecords(db, filters, sort),
    /** Includes hidden records: the caller must check access. */
    row: (recordId: string) => readRow(db, recordId),
    similar: (recordId: string, options: Parameters<typeof findSimilar>[2]) => findSimilar(db, recordId, options),
    similarTo: (picture: PictureFeatures, options: SimilarOptions) => findSimilarToPicture(db, picture, options),
    numberFields: () => findNumberFields(db),
    state: async () => (await db.query<IndexState>(STATE)).rows[0]!,
  };
}

export interface IndexState {
  readonly documents: number;
  readonly lastIndexedAt: Date | null;
  readonly rebuilding: boolean;
}

const STATE = {
  name: 'catalog-state',
  text: `
    select (select count(*) from catalog_records where not hidden) as documents,
           (select max(indexed_at) from catalog_records) as "lastIndexedAt",
           exists (select from catalog_rebuild) as rebuilding`,
  limitMs: CLIENT_LIMIT_MS,
};

/** Also hidden records. `prev` is older, `next` newer, both visible. */
async function readRow(db: Queryable, recordId: string): Promise<Row | undefined> {
  // PostgreSQL text cannot contain NUL.
  if (recordId.includes('\0')) return undefined;
  const { rows } = await db.query<HitRow & Omit<Row, keyof Hit>>(ROW, [recordId]);
  const [row] = rows;
  return row && { ...hitOf(row), snippet: createSnippets([])(row.text.slice(0, 400)) };
}

const ROW = {
  name: 'catalog-row',
  text: `
    select ${HIT_COLUMNS}, t.text, d.result, d.attachment, d.recording_key as "soundKey",
           (select o.record_id from catalog_records o
             where not o.hidden and (o.created_at, o.number) < (r.created_at, r.number)
             order by o.created_at desc, o.number desc limit 1) as prev,
           (select o.record_id from catalog_records o
             where not o.hidden and (o.created_at, o.number) > (r.created_at, r.number)
             order by o.created_at, o.number limit 1) as next
      from catalog_records r
      join catalog_texts t using (number)
      join catalog_details d using (number)
     where r.record_id = $1`,
};

function findRecords(
  db: Db,
  kinds: FacetCombinations,
  filters: Filters,
  page: Page,
  limits: SearchLimits,
): Promise<SearchResult> {
  return db.transaction(
    async (tx) => {
      await beginSnapshot(tx);
      const resolved = await resolveFilters(tx, filters, page.upTo);
      const { numbers, ...counts } = page.facets
        ? await pageWithFacets(tx, kinds, resolved, page)
        : await pageAlone(tx, resolved, page, limits);
      const items = await readHits(tx, numbers, resolved.expansion);
      return { items, ...counts, upTo: resolved.upTo };
    },
    { statementTimeoutMs: CLIENT_LIMIT_MS },
  );
}

interface Found extends Pick<SearchResult, 'total' | 'more' | 'facets'> {
  readonly numbers: readonly number[];
}

async function pageWithFacets(
  db: Queryable,
  kinds: FacetCombinations,
  resolved: ResolvedFilters,
  page: Page,
): Promise<Found> {
  const words = resolved.expansion && (await searchWords(db, { ...resolved, expansion: resolved.expansion }, page));
  const { total, facets } = await countFacets(db, kinds, resolved, words?.counts);
  const numbers = words?.numbers ?? (offsetOf(page) < total ? await numbersOf(db, resolved, page) : []);
  return { numbers, total, more: false, facets };
}

async function pageAlone(db: Queryable, resolved: ResolvedFilters, page: Page, limits: SearchLimits): Promise<Found> {
  const { expansion } = resolved;
  const { maxCount } = limits;
  const found = (count: number, numbers: readonly number[]): Found => {
    if (count <= maxCount) return { numbers, total: count, more: false };
    // Clients that list pages up to `total` must read the next one.
    const listed = numbers.length === 0 ? 0 : offsetOf(page) + numbers.length;
    return { numbers, total: Math.max(maxCount, listed + Number(numbers.length === page.limit)), more: true };
  };
  if (expansion === undefined) {
    const count = await countUpTo(db, resolved, maxCount + 1);
    const isPossible = offsetOf(page) < count || count > maxCount;
    return found(count, isPossible ? await numbersOf(db, resolved, page) : []);
  }
  const { total, numbers } =
    (await findFirstMatches(db, resolved, page, limits)) ?? (await searchWords(db, { ...resolved, expansion }, page));
  return found(total, numbers);
}

const offsetOf = ({ page, limit }: Page) => (page - 1) * limit;

async function numbersOf(db: Queryable, resolved: ResolvedFilters, page: Page): Promise<number[]> {
  const { keys, direction } = orderOf(page.sort, resolved.filters);
  const { bind, values } = createParameters();
  const condition = where(resolved, { bind });
  const order = keys({ bind }).map((key) => `${key} ${direction}`);
  const { rows } = await db.query<{ number: number }>(
    `select r.number from catalog_records r where ${condition} order by ${order.join(', ')}
      limit ${bind(page.limit)} offset ${bind(offsetOf(page))}`,
    values,
  );
  return rows.map(({ number }) => number);
}
