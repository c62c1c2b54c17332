import type { Db } from '../../base/db.ts';
import type { JsonValue } from '../../base/json.ts';

export interface PictureKeys {
  readonly whole: string;
  readonly thumbnail: string | null;
}

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
    picture: reader<PictureKeys>(
      `case when r.picture_key is not null then json_build_object('whole', r.picture_key, 'thumbnail', r.thumbnail_key) end`,
    ),
    soundKey: reader<string>('d.recording_key'),
    heatmaps: reader<JsonValue>('d.attachment'),
  };
}
