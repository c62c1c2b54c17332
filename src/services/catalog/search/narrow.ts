import type { Queryable, Transaction } from '../../../base/db.ts';
import { expand } from './expand.ts';
import type { Filters } from './filters.ts';
import { parameters } from './statement.ts';
import type { Narrowed } from './where.ts';

/** Makes a transaction one look at the database, and keeps whoever searches for words to the index of words. */
export async function lookOnce(tx: Transaction, { q }: Filters): Promise<void> {
  // The planner does not know that a row's words lie elsewhere, and would rather read them all.
  const words = q === undefined ? '' : '; set local enable_seqscan = off; set local enable_indexscan = off';
  await tx.query(`set transaction isolation level repeatable read, read only; set local jit = off${words}`);
}

/** Works out what filters come to as of now. `upTo`: as an earlier page told it. */
export async function narrow(db: Queryable, filters: Filters, upTo: number | undefined): Promise<Narrowed> {
  const { rows } = await db.query<{ latest: number }>(LATEST);
  const { latest } = rows[0]!;
  const kinds = await kindsOf(db, filters);
  return {
    filters,
    ...(filters.q !== undefined && { meant: await expand(db, filters.q) }),
    ...(kinds && { kinds }),
    upTo: Math.min(upTo ?? latest, latest),
  };
}

const LATEST = 'select coalesce(max(number), 0) as latest from catalog_records';

/** The kinds of record that will do, or undefined where every one does. */
async function kindsOf(db: Queryable, filters: Filters): Promise<number[] | undefined> {
  const { service, status, surface, master, defect } = filters;
  const { say, values } = parameters();
  const conditions = Object.entries({ service, status, surface, master })
    .filter(([, value]) => value !== undefined)
    .map(([column, value]) => `${column} = ${say(value)}`);
  if (defect !== undefined) conditions.push(`${say(defect)} = any(defects)`);
  if (conditions.length === 0) return undefined;
  const { rows } = await db.query<{ id: number }>(
    `select id from catalog_kinds where ${conditions.join(' and ')}`,
    values,
  );
  return rows.map(({ id }) => id);
}
