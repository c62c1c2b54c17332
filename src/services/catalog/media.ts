import type { Db } from '../../base/db.ts';
import type { JsonValue } from '../../base/json.ts';

/** Values are undefined when the record does not exist. */
export interface Media {
  picture(recordId: string): Promise<{ readonly key: string | null; readonly hidden: boolean } | undefined>;
  sound(recordId: string): Promise<{ readonly key: string | null; readonly hidden: boolean } | undefined>;
  heatmap(recordId: string): Promise<{ readonly maps: JsonValue | null; readonly hidden: boolean } | undefined>;
}

export function createMedia(db: Db): Media {
  const one = async <R extends object>(statement: string, recordId: string) =>
    (await db.query<R>(statement, [recordId])).rows[0];
  return {
    picture: (recordId) => one('select picture_key as key, hidden from catalog_records where record_id = $1', recordId),
    sound: (recordId) =>
      one(
        `select d.recording_key as key, r.hidden
           from catalog_records r left join catalog_details d using (number)
          where r.record_id = $1`,
        recordId,
      ),
    heatmap: (recordId) =>
      one(
        `select d.attachment as maps, r.hidden
           from catalog_records r left join catalog_details d using (number)
          where r.record_id = $1`,
        recordId,
      ),
  };
}
