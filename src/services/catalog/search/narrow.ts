import type { Queryable, Transaction } from '../../../base/db.ts';
import { expand } from './expand.ts';
import type { Filters } from './filters.ts';
import { parameters } from './statement.ts';
import type { Narrowed } from './where.ts';

/** Makes a transaction one look at the database, and sets how its statements are planned. */
export async function lookOnce(tx: Transaction): Promise<void> {
  await tx.query(`set transaction isolation level repeatable read, read only; ${PLANNED}`);
}

// Words lie elsewhere than their rows, which the planner does not know: reading them all is never the shorter way. Two
// edits of nine letters leave a quarter of the threes of letters alike.
const PLANNED = 'set local jit = off; set local enable_seqscan = off; set local pg_trgm.similarity_threshold = 0.25';

/** Works out what filters come to as of now, after {@link lookOnce}. `upTo`: as an earlier page told it. */
export async function narrow(db: Transaction, filters: Filters, upTo: number | undefined): Promise<Narrowed> {
  const { rows } = await db.query<{ latest: number }>(LATEST);
  const { latest } = rows[0]!;
  const kinds = await kindsOf(db, filters);
  return {
    filters,
    ...(filters.q !== undefined && { meant: await expand(db, filters.q) }),
    ...(kinds && { kinds }),
    ...(filters.hasReport !== undefined && { reported: await reported(db) }),
    upTo: Math.min(upTo ?? latest, latest),
  };
}

const LATEST = 'select coalesce(max(number), 0) as latest from catalog_records';

/** A report needs no record: most are of one, some of none. */
async function reported(db: Queryable): Promise<number[]> {
  const { rows } = await db.query<{ number: number }>(
    `select distinct r.number
       from reports p join catalog_records r using (record_id)
      where p.status in ('open', 'in_review')`,
  );
  return rows.map(({ number }) => number);
}

/** The kinds of record that will do, or undefined where every one does. */
export async function kindsOf(db: Queryable, filters: Filters): Promise<number[] | undefined> {
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
