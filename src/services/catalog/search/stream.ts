import type { Db, Queryable } from '../../../base/db.ts';
import type { JsonObject } from '../../../base/json.ts';
import { HIT_COLUMNS, type HitRow, hitOf } from './hits.ts';
import { isAfter, orderOf, stages } from './order.ts';
import { resolveFilters, SNAPSHOT } from './resolve-filters.ts';
import type { ExportedRecord, Filters, Sort } from './search-types.ts';
import { createParameters, fromClause, type ResolvedFilters, type Stage, where } from './where.ts';

export const MAX_EXPORTED = 1_000_000;

/** Keyset pagination: a slow reader holds no transaction open. */
export async function* streamRecords(
  db: Db,
  filters: Filters,
  sort: Sort,
): AsyncGenerator<ExportedRecord, void, undefined> {
  const resolved = await db.transaction((tx) => resolveFilters(tx, filters, undefined), { settings: SNAPSHOT });
  let left = MAX_EXPORTED;
  for (const stage of stages(sort, resolved.expansion)) {
    let after: readonly unknown[] | undefined;
    do {
      const positions = await positionsAfter(db, resolved, { sort, stage, after, limit: Math.min(left, KEY_BATCH) });
      const numbers = positions.map(({ number }) => number);
      yield* rowsOf(db, numbers, filters.hidden === true);
      left -= positions.length;
      after = positions.length === KEY_BATCH ? positions.at(-1)!.keys : undefined;
    } while (after && left > 0);
  }
}

const KEY_BATCH = 20_000;
const ROW_BATCH = 200;
/** Stored (compressed) size of the texts and results in memory. */
const ROW_BATCH_BYTES = 2 * 2 ** 20;

interface Position {
  readonly number: number;
  readonly keys: readonly unknown[];
}

async function positionsAfter(
  db: Db,
  resolved: ResolvedFilters,
  { sort, stage, after, limit }: { sort: Sort; stage: Stage; after: readonly unknown[] | undefined; limit: number },
): Promise<Position[]> {
  const order = orderOf(sort, resolved.filters);
  const { keys, direction } = order;
  const { bind, values } = createParameters();
  const columns = keys({ bind });
  const from = fromClause(stage, resolved, { bind });
  const rest = after ? { ...resolved, after: isAfter(order, after) } : resolved;
  const conditions = [where(rest, { bind }), stage.rest({ bind })];
  const { rows } = await db.transaction(
    (tx) =>
      tx.query<Record<string, unknown> & { number: number }>(
        `select ${columns.map((column, i) => `${column} as key${i}`).join(', ')}, r.number
           from ${from}
          where ${conditions.join(' and ')}
          order by ${columns.map((column) => `${column} ${direction}`).join(', ')}
          limit ${bind(limit)}`,
        values,
      ),
    { settings: SNAPSHOT },
  );
  return rows.map((row) => ({ number: row.number, keys: columns.map((_, i) => row[`key${i}`]) }));
}

type ExportRow = HitRow & { readonly place: number; readonly text: string; readonly result: JsonObject };

/** Checks `hidden` again: a slow reader gets the rows much later. */
async function* rowsOf(
  db: Queryable,
  numbers: readonly number[],
  hidden: boolean,
): AsyncGenerator<ExportedRecord, void, undefined> {
  for (let from = 0; from < numbers.length; ) {
    const batch = numbers.slice(from, from + ROW_BATCH);
    const { rows } = await db.query<ExportRow>(EXPORTED, [batch, ROW_BATCH_BYTES, hidden]);
    for (const { place: _, ...row } of rows) yield hitOf(row);
    // Numbers missing before the last row were deleted or hidden.
    from += rows.at(-1)?.place ?? batch.length;
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
