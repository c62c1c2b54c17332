import { CLIENT_LIMIT_MS, type Db, type Queryable } from '../../../base/db.ts';
import { countAll, countFacets } from './facets.ts';
import type { Filters } from './filters.ts';
import type { Found, Page } from './found.ts';
import { readHits } from './hits.ts';
import type { Kinds } from './kinds.ts';
import { lookOnce, narrow } from './narrow.ts';
import { orderOf, stages } from './order.ts';
import { parameters } from './statement.ts';
import { type Narrowed, where } from './where.ts';

/** One page of what filters find, from one look at the database. */
export function find(db: Db, kinds: Kinds, filters: Filters, page: Page): Promise<Found> {
  return db.transaction(
    async (tx) => {
      await lookOnce(tx, filters);
      const narrowed = await narrow(tx, filters, page.upTo);
      const { upTo } = narrowed;
      const { total, facets } = page.facets
        ? await countFacets(tx, kinds, narrowed)
        : { total: await countAll(tx, narrowed), facets: undefined };
      if (filters.q !== undefined && total > MANY) await tx.query('set local enable_indexscan = on');
      const numbers = (page.page - 1) * page.limit < total ? await numbersOf(tx, narrowed, page) : [];
      const items = await readHits(tx, numbers, narrowed.meant);
      return { items, total, upTo, ...(facets && { facets }) };
    },
    { statementTimeoutMs: CLIENT_LIMIT_MS },
  );
}

// So many are soon met with by whoever walks from record to record; fewer are sooner found and put in order.
const MANY = 20_000;

/** The numbers of a page, in its order. */
async function numbersOf(db: Queryable, narrowed: Narrowed, { sort, page, limit }: Page): Promise<number[]> {
  const { filters, meant } = narrowed;
  const { keys, direction } = orderOf(sort, filters);
  const steps = stages(sort, meant);
  let skipped = (page - 1) * limit;
  const taken: number[] = [];
  for (const [i, stage] of steps.entries()) {
    const { say, values } = parameters();
    const condition = `${where(narrowed, { say, values })} and ${stage({ say })}`;
    // How long a stage is, is only known where another one follows; then its beginning is needed too.
    const last = i === steps.length - 1;
    const order = keys({ say }).map((key) => `${key} ${direction}`);
    const { rows } = await db.query<{ number: number }>(
      `select r.number from catalog_records r where ${condition} order by ${order.join(', ')}
        limit ${say(limit - taken.length + (last ? 0 : skipped))} offset ${say(last ? skipped : 0)}`,
      values,
    );
    taken.push(...rows.slice(last ? 0 : skipped).map(({ number }) => number));
    skipped = Math.max(0, skipped - rows.length);
    if (taken.length === limit) break;
  }
  return taken;
}
