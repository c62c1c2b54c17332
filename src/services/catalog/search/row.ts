import type { Queryable } from '../../../base/db.ts';
import type { JsonObject, JsonValue } from '../../../base/json.ts';
import { HIT_COLUMNS, type HitRow, hitOf } from './hits.ts';
import type { Row } from './search-types.ts';
import { snippetOf } from './snippet.ts';

/** Also hidden records. `prev` is older, `next` newer, both visible. */
export async function readRow(db: Queryable, recordId: string): Promise<Row | undefined> {
  // PostgreSQL text cannot contain NUL.
  if (recordId.includes('\0')) return undefined;
  const { rows } = await db.query<FullRow>(ROW, [recordId]);
  const [row] = rows;
  return (
    row && {
      ...hitOf(row),
      snippet: snippetOf(row.text.slice(0, 400), []),
      number: row.number,
      text: row.text,
      result: row.result,
      attachment: row.attachment,
      pictureKey: row.picture_key,
      soundKey: row.recording_key,
      prev: row.prev,
      next: row.next,
    }
  );
}

interface FullRow extends HitRow {
  readonly number: number;
  readonly text: string;
  readonly result: JsonObject;
  readonly attachment: JsonValue | null;
  readonly picture_key: string | null;
  readonly recording_key: string | null;
  readonly prev: string | null;
  readonly next: string | null;
}

const ROW = {
  name: 'catalog-row',
  text: `
    select ${HIT_COLUMNS}, r.number, r.picture_key, t.text, d.result, d.attachment, d.recording_key,
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
