import { CLIENT_LIMIT_MS, type Db, type Queryable } from '../../../base/db.ts';
import type { FacetCombinations } from './facet-combinations.ts';
import { countAll, countFacets } from './facets.ts';
import { readHits } from './hits.ts';
import { orderOf } from './order.ts';
import { beginSnapshot, resolveFilters } from './resolve-filters.ts';
import type { Filters, Page, SearchResult } from './search-types.ts';
import { createParameters, type ResolvedFilters, where } from './where.ts';
import { searchWords, type WordMatches } from './word-search.ts';

export function findRecords(db: Db, kinds: FacetCombinations, filters: Filters, page: Page): Promise<SearchResult> {
  return db.transaction(
    async (tx) => {
      await beginSnapshot(tx);
      const resolved = await resolveFilters(tx, filters, page.upTo);
      const words = resolved.expansion && (await searchWords(tx, { ...resolved, expansion: resolved.expansion }, page));
      const { total, facets } = await count(tx, kinds, resolved, page, words);
      const numbers = words?.numbers ?? (offsetOf(page) < total ? await numbersOf(tx, resolved, page) : []);
      const items = await readHits(tx, numbers, resolved.expansion);
      return { items, total, upTo: resolved.upTo, ...(facets && { facets }) };
    },
    { statementTimeoutMs: CLIENT_LIMIT_MS },
  );
}

async function count(
  db: Queryable,
  kinds: FacetCombinations,
  resolved: ResolvedFilters,
  { facets }: Page,
  words: WordMatches | undefined,
): Promise<Pick<SearchResult, 'total' | 'facets'>> {
  if (facets) return countFacets(db, kinds, resolved, words?.counts);
  return { total: words?.total ?? (await countAll(db, resolved)) };
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
