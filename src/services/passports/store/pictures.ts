import { CLIENT_LIMIT_MS, type Db } from '../../../base/db.ts';
import { type AttemptKey, lockAttempt } from '../../../tasks/locks.ts';

export interface Pictures {
  /**
   * Returns the pages that earlier attempts read with the same reader, and deletes their other images. Undefined if there are
   * images and the attempt is not the latest of an unfinished task.
   */
  begin(attempt: ImageAttempt, reader: string): Promise<StoredPage[] | undefined>;
  /** Stores an image with the page, if given. False unless the attempt is the latest; then the caller deletes the file. */
  add(attempt: ImageAttempt, key: string, page?: Omit<StoredPage, 'picture'> & { reader: string }): Promise<boolean>;
  /** Adds the words of all pages, like an image. */
  addReading(attempt: ImageAttempt, key: string): Promise<boolean>;
}

export interface ImageAttempt extends AttemptKey {
  readonly fileKey: string;
}

/** A read page; `content` is of `encodePages`. */
export interface StoredPage {
  readonly page: number;
  readonly picture: string;
  readonly content: Buffer;
  readonly isTimedOut: boolean;
}

export function postgresPictures(db: Db): Pictures {
  return {
    async begin(attempt, reader) {
      // Saves the transaction and its lock for a first attempt.
      if ((await db.query(ANY, [attempt.fileKey])).rowCount === 0) return [];
      return db.transaction(async (tx) => {
        if (!(await lockAttempt(tx, attempt))) return undefined;
        const { rows } = await tx.query<StoredPage>(KEPT_PAGES, [attempt.task, reader]);
        await tx.query(DELETE_EARLIER, [attempt.fileKey, rows.map(({ picture }) => picture)]);
        return rows;
      });
    },
    add: (attempt, key, page) =>
      db.transaction(async (tx) => {
        if (!(await lockAttempt(tx, attempt))) return false;
        if ((await tx.query(ADD, [attempt.fileKey, key])).rowCount === 0) return false;
        if (page) {
          const { reader, content, isTimedOut } = page;
          await tx.query(ADD_PAGE, [attempt.task, page.page, reader, key, content, isTimedOut]);
        }
        return true;
      }),
    addReading: (attempt, key) =>
      db.transaction(async (tx) => {
        if (!(await lockAttempt(tx, attempt))) return false;
        return (await tx.query(ADD_READING, [attempt.fileKey, key])).rowCount > 0;
      }),
  };
}

const ANY = {
  name: 'passport-any-picture',
  limitMs: CLIENT_LIMIT_MS,
  text: `
    select from passport_pictures where file_key = $1
    union all
    select from passport_readings where file_key = $1
     limit 1`,
};

const KEPT_PAGES = {
  name: 'passport-kept-pages',
  text: `
    select page, picture, content, timed_out as "isTimedOut"
      from passport_read_pages
     where document = $1 and reader = $2
     order by page`,
};

// An unfinished PDF belongs to one document: it is shared only after its first success. Pages are deleted with their image.
const DELETE_EARLIER = {
  name: 'passport-delete-pictures',
  text: `
    with earlier as (
      delete from passport_pictures where file_key = $1 and key <> all($2::text[]) returning key
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

const ADD_PAGE = {
  name: 'passport-add-page',
  text: `
    insert into passport_read_pages (document, page, reader, picture, content, timed_out)
    values ($1, $2, $3, $4, $5, $6)
        on conflict (document, page) do update
       set reader = excluded.reader, picture = excluded.picture, content = excluded.content, timed_out = excluded.timed_out`,
};

const ADD_READING = {
  name: 'passport-add-reading',
  text: 'insert into passport_readings (key, file_key) select $2, key from passport_files where key = $1',
};
