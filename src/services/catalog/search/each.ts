import type { Db, Queryable } from '../../../base/db.ts';
import type { JsonObject } from '../../../base/json.ts';
import type { Filters, Sort } from './filters.ts';
import type { Exported } from './found.ts';
import { HIT_COLUMNS, type HitRow, hitOf } from './hits.ts';
import { lookOnce, narrow } from './narrow.ts';
import { orderOf, stages } from './order.ts';
import { parameters } from './statement.ts';
import { type Narrowed, records, type Stage, where } from './where.ts';

/** So many records can be taken away at once. */
export const MOST_EXPORTED = 1_000_000;

/** By key, not by cursor: a slow reader holds no transaction open, and a few numbers and rows are in memory at a time. */
export async function* each(db: Db, filters: Filters, sort: Sort): AsyncGenerator<Exported, void, undefined> {
  const narrowed = await db.transaction(async (tx) => {
    await lookOnce(tx);
    return narrow(tx, filters, undefined);
  });
  let left = MOST_EXPORTED;
  for (const stage of stages(sort, narrowed.meant)) {
    let after: readonly unknown[] | undefined;
    do {
      const places = await placesAfter(db, narrowed, { sort, stage, after, limit: Math.min(left, CHUNK) });
      const numbers = places.map(({ number }) => number);
      yield* rowsOf(db, numbers, filters.hidden === true);
      left -= places.length;
      after = places.length === CHUNK ? places.at(-1)!.keys : undefined;
    } while (after && left > 0);
  }
}

const CHUNK = 20_000;
const ROWS = 200;
/** So much of stored (compressed) texts and results is in memory at once. */
const ROWS_BYTES = 2 * 2 ** 20;

interface Place {
  readonly number: number;
  /** What it is ordered by. */
  readonly keys: readonly unknown[];
}

async function placesAfter(
  db: Db,
  narrowed: Narrowed,
  { sort, stage, after, limit }: { sort: Sort; stage: Stage; after: readonly unknown[] | undefined; limit: number },
): Promise<Place[]> {
  const { keys, direction, types } = orderOf(sort, narrowed.filters);
  const { say, values } = parameters();
  const columns = keys({ say });
  const from = records(stage, { say });
  const conditions = [where(narrowed, { say }), stage.rest({ say })];
  if (after) {
    const place = after.map((value, i) => `${say(value)}::${types[i]}`);
    conditions.push(`(${columns.join(', ')}) ${direction === 'desc' ? '<' : '>'} (${place.join(', ')})`);
  }
  const { rows } = await db.transaction(async (tx) => {
    await lookOnce(tx);
    return tx.query<Record<string, unknown> & { number: number }>(
      `select ${columns.map((column, i) => `${column} as key${i}`).join(', ')}, r.number
         from ${from}
        where ${conditions.join(' and ')}
        order by ${columns.map((column) => `${column} ${direction}`).join(', ')}
        limit ${say(limit)}`,
      values,
    );
  });
  return rows.map((row) => ({ number: row.number, keys: columns.map((_, i) => row[`key${i}`]) }));
}

type ExportRow = HitRow & { readonly place: number; readonly text: string; readonly result: JsonObject };

/** Whether they are hidden is asked once more: a slow reader comes to them long after they were found. */
async function* rowsOf(
  db: Queryable,
  numbers: readonly number[],
  hidden: boolean,
): AsyncGenerator<Exported, void, undefined> {
  for (let from = 0; from < numbers.length; ) {
    const wanted = numbers.slice(from, from + ROWS);
    const { rows } = await db.query<ExportRow>(EXPORTED, [wanted, ROWS_BYTES, hidden]);
    for (const row of rows) yield { ...hitOf(row), text: row.text, result: row.result };
    // Of those that came before the last one here, whichever is missing has gone.
    from += rows.at(-1)?.place ?? wanted.length;
  }
}

const EXPORTED = {
  name: 'catalog-exported',
  text: `
    with measured as (
      select w.number, w.place,
             sum(pg_column_size(t.text) + pg_column_size(d.result)) over (order by w.place) as bytes,
             row_number() over (order by w.place) as nth
        from unnest($1::bigint[]) with ordinality as w (number, place)
        join catalog_records r using (number)
        join catalog_texts t using (number)
        join catalog_details d using (number)
       where r.hidden = $3
    )
    select m.place, ${HIT_COLUMNS}, t.text, d.result
      from measured m
      join catalog_records r using (number)
      join catalog_texts t using (number)
      join catalog_details d using (number)
     where m.nth = 1 or m.bytes <= $2
     order by m.place`,
};
