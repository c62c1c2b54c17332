import type { Db } from '../../../base/db.ts';
import { type AttemptKey, lockAttempt } from '../../../tasks/locks.ts';

export interface Pictures {
  /** Deletes the images and words of earlier attempts. False unless the attempt is the latest of an unfinished task. */
  begin(attempt: ImageAttempt): Promise<boolean>;
  /** False unless the attempt is the latest; then the caller deletes the file. */
  add(attempt: ImageAttempt, key: string): Promise<boolean>;
  /** Adds the words of all pages, like an image. */
  addReading(attempt: ImageAttempt, key: string): Promise<boolean>;
}

export interface ImageAttempt extends AttemptKey {
  readonly fileKey: string;
}

export function postgresPictures(db: Db): Pictures {
  const addWith = (query: typeof ADD, { fileKey, ...attempt }: ImageAttempt, key: string) =>
    db.transaction(async (tx) => {
      if (!(await lockAttempt(tx, attempt))) return false;
      return (await tx.query(query, [fileKey, key])).rowCount > 0;
    });
  return {
    begin: (attempt) =>
      db.transaction(async (tx) => {
        const isCurrent = await lockAttempt(tx, attempt);
        if (isCurrent) await tx.query(DELETE_EARLIER, [attempt.fileKey]);
        return isCurrent;
      }),
    add: (attempt, key) => addWith(ADD, attempt, key),
    addReading: (attempt, key) => addWith(ADD_READING, attempt, key),
  };
}

// An unfinished PDF belongs to one document: it is shared only after its first success.
const DELETE_EARLIER = {
  name: 'passport-delete-pictures',
  text: `
    with earlier as (
      delete from passport_pictures where file_key = $1 returning key
    ),
    readings as (
      delete from passport_readings where file_key = $1 returning key
    )
    insert into passport_files_to_delete (key)
    select key from earlier union all select key from readings
        on conflict do nothing`,
};

const ADD = {
  name: 'passport-add-picture',
  text: 'insert into passport_pictures (key, file_key) select $2, key from passport_files where key = $1',
};

const ADD_READING = {
  name: 'passport-add-reading',
  text: 'insert into passport_readings (key, file_key) select $2, key from passport_files where key = $1',
};
