import type { Db } from '../../base/db.ts';
import type { JsonValue } from '../../base/json.ts';

/** The files and heatmaps of records; undefined when the record does not exist. */
export type Media = ReturnType<typeof createMedia>;

export function createMedia(db: Db) {
  const reader =
    <Content>(column: string) =>
    async (recordId: string) => {
      const { rows } = await db.query<{ readonly content: Content | null; readonly hidden: boolean }>(
        `select ${column} as content, r.hidden
           from catalog_records r left join catalog_details d using (number)
          where r.record_id = $1`,
        [recordId],
      );
      return rows[0];
    };
  return {
    pictureKey: reader<string>('r.picture_key'),
    soundKey: reader<string>('d.recording_key'),
    heatmaps: reader<JsonValue>('d.attachment'),
  };
}
