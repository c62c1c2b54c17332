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

/** One page of what filters find, from one look at the database. */
export function find(db: Db, kinds: Kinds, filters: Filters, page: Page): Promise<Found> {
  return db.transaction(
    async (tx) => {
      await lookOnce(tx);
      const narrowed = await narrow(tx, filters, page.upTo);
      const words = narrowed.meant && (await findWords(tx, { ...narrowed, meant: narrowed.meant }, page));
      const { total, facets } = await count(tx, kinds, narrowed, page, words);
      const numbers = words?.numbers ?? (offsetOf(page) < total ? await numbersOf(tx, narrowed, page) : []);
      const items = await readHits(tx, numbers, narrowed.meant);
      return { items, total, upTo: narrowed.upTo, ...(facets && { facets }) };
    },
    { statementTimeoutMs: CLIENT_LIMIT_MS },
  );
}

async function count(
  db: Queryable,
  kinds: Kinds,
  narrowed: Narrowed,
  { facets }: Page,
  words: Candidates | undefined,
): Promise<Pick<Found, 'total' | 'facets'>> {
  if (facets) return countFacets(db, kinds, narrowed, words?.counts);
  return { total: words?.total ?? (await countAll(db, narrowed)) };
}

const offsetOf = ({ page, limit }: Page) => (page - 1) * limit;

/** The numbers of a page, in its order, where no words are looked for. */
async function numbersOf(db: Queryable, narrowed: Narrowed, page: Page): Promise<number[]> {
  const { keys, direction } = orderOf(page.sort, narrowed.filters);
  const { say, values } = parameters();
  const condition = where(narrowed, { say });
  const order = keys({ say }).map((key) => `${key} ${direction}`);
  const { rows } = await db.query<{ number: number }>(
    `select r.number from catalog_records r where ${condition} order by ${order.join(', ')}
      limit ${say(page.limit)} offset ${say(offsetOf(page))}`,
    values,
  );
  return rows.map(({ number }) => number);
}
