import { CLIENT_LIMIT_MS, type Db, type Queryable } from '../../../base/db.ts';
import { countAll, countFacets } from './facets.ts';
import type { Filters } from './filters.ts';
import type { Found, Page } from './found.ts';
import { readHits } from './hits.ts';
import type { Kinds } from './kinds.ts';
import { lookOnce, narrow } from './narrow.ts';
import { orderOf, stages } from './order.ts';
import { parameters } from './statement.ts';
import { type Narrowed, records, type Stage, where } from './where.ts';

/** One page of what filters find, from one look at the database. */
export function find(db: Db, kinds: Kinds, filters: Filters, page: Page): Promise<Found> {
  return db.transaction(
    async (tx) => {
      await lookOnce(tx);
      const narrowed = await narrow(tx, filters, page.upTo);
      const { total, facets } = page.facets
        ? await countFacets(tx, kinds, narrowed)
        : { total: await countAll(tx, narrowed), facets: undefined };
      const numbers = (page.page - 1) * page.limit < total ? await numbersOf(tx, narrowed, page, total) : [];
      const items = await readHits(tx, numbers, narrowed.meant);
      return { items, total, upTo: narrowed.upTo, ...(facets && { facets }) };
    },
    { statementTimeoutMs: CLIENT_LIMIT_MS },
  );
}

/** The numbers of a page, in its order. */
async function numbersOf(db: Queryable, narrowed: Narrowed, page: Page, total: number): Promise<number[]> {
  const steps = stages(page.sort, narrowed.meant);
  const taken: number[] = [];
  let skipped = (page.page - 1) * page.limit;
  for (const [i, stage] of steps.entries()) {
    // How long a stage is, is only known where its beginning is read too, and matters where another one follows.
    const last = i === steps.length - 1;
    const limit = page.limit - taken.length + (last ? 0 : skipped);
    const numbers = await numbersIn(db, narrowed, page, { stage, total, limit, offset: last ? skipped : 0 });
    taken.push(...numbers.slice(last ? 0 : skipped));
    skipped = Math.max(0, skipped - numbers.length);
    if (taken.length === page.limit) break;
  }
  return taken;
}

// So many are soon met with by whoever walks from record to record; fewer are sooner found and put in order.
const MANY = 20_000;

async function numbersIn(
  db: Queryable,
  narrowed: Narrowed,
  { sort }: Page,
  { stage, total, limit, offset }: { stage: Stage; total: number; limit: number; offset: number },
): Promise<number[]> {
  const { keys, direction } = orderOf(sort, narrowed.filters);
  const { say, values } = parameters();
  const walks = total > MANY;
  const from = walks ? 'catalog_records r' : records(stage, { say });
  const conditions = [...(walks && stage.words ? [stage.words] : []), stage.rest].map((condition) =>
    condition({ say }),
  );
  const order = keys({ say }).map((key) => `${key} ${direction}`);
  const { rows } = await db.query<{ number: number }>(
    `select r.number
       from ${from}
      where ${[where(narrowed, { say }), ...conditions].join(' and ')}
      order by ${order.join(', ')}
      limit ${say(limit)} offset ${say(offset)}`,
    values,
  );
  return rows.map(({ number }) => number);
}
