import type { Queryable } from '../../../base/db.ts';
import { HIT_COLUMNS, type HitRow, hitOf } from './hits.ts';
import type { Hit, Row } from './search-types.ts';
import { snippetOf } from './snippet.ts';

/** Also hidden records. `prev` is older, `next` newer, both visible. */
export async function readRow(db: Queryable, recordId: string): Promise<Row | undefined> {
  // PostgreSQL text cannot contain NUL.
  if (recordId.includes('\0')) return undefined;
  const { rows } = await db.query<HitRow & Omit<Row, keyof Hit>>(ROW, [recordId]);
  const [row] = rows;
  return row && { ...hitOf(row), snippet: snippetOf(row.text.slice(0, 400), []) };
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
