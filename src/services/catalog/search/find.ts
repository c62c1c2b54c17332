import { CLIENT_LIMIT_MS, type Db, type Queryable } from '../../../base/db.ts';
import { countAll, countFacets } from './facets.ts';
import type { Filters } from './filters.ts';
import { type Candidates, findWords } from './find-words.ts';
import type { Found, Page } from './found.ts';
import { readHits } from './hits.ts';
import type { Kinds } from './kinds.ts';
import { lookOnce, narrow } from './narrow.ts';
import { orderOf } from './order.ts';
import { parameters } from './statement.ts';
import { type Narrowed, where } from './where.ts';

export function find(db: Db, kinds: Kinds, filters: Filters, page: Page): Promise<Found> {
  return db.transaction(
    async (tx) => {
      await lookOnce(tx);
      const resolved = await narrow(tx, filters, page.upTo);
      const words = resolved.expansion && (await findWords(tx, { ...resolved, expansion: resolved.expansion }, page));
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
  kinds: Kinds,
  resolved: Narrowed,
  { facets }: Page,
  words: Candidates | undefined,
): Promise<Pick<Found, 'total' | 'facets'>> {
  if (facets) return countFacets(db, kinds, resolved, words?.counts);
  return { total: words?.total ?? (await countAll(db, resolved)) };
}

const offsetOf = ({ page, limit }: Page) => (page - 1) * limit;

async function numbersOf(db: Queryable, resolved: Narrowed, page: Page): Promise<number[]> {
  const { keys, direction } = orderOf(page.sort, resolved.filters);
  const { bind, values } = parameters();
  const condition = where(resolved, { bind });
  const order = keys({ bind }).map((key) => `${key} ${direction}`);
  const { rows } = await db.query<{ number: number }>(
    `select r.number from catalog_records r where ${condition} order by ${order.join(', ')}
      limit ${bind(page.limit)} offset ${bind(offsetOf(page))}`,
    values,
  );
  return rows.map(({ number }) => number);
}
