import type { Queryable } from '../../../base/db.ts';

export interface Pictures {
  /** Deletes the images of earlier attempts. False unless the attempt is the latest of an unfinished task. */
  begin(attempt: ImageAttempt): Promise<boolean>;
  /** False unless the attempt is the latest; then the caller deletes the file. */
  add(attempt: ImageAttempt, key: string): Promise<boolean>;
}

export interface ImageAttempt {
  readonly task: string;
  readonly attempt: number;
  /** Worker id: after a database crash, two workers may hold an attempt with the same number. */
  readonly worker: string;
  readonly fileKey: string;
}

export function postgresPictures(db: Queryable): Pictures {
  return {
    async begin({ task, attempt, worker, fileKey }) {
      const { rows } = await db.query<{ held: boolean }>(BEGIN, [task, attempt, worker, fileKey]);
      return rows[0]!.held;
    },
    async add({ task, attempt, worker, fileKey }, key) {
      const { rowCount } = await db.query(KEEP, [task, attempt, worker, fileKey, key]);
      return rowCount > 0;
    },
  };
}

const CURRENT_ATTEMPT = 'select from tasks where id = $1 and attempts = $2 and worker = $3 and finished_at is null';

// An unfinished PDF belongs to one document: it is shared only after its first success.
const BEGIN = {
  name: 'passport-pictures-begin',
  text: `
    with held as materialized (${CURRENT_ATTEMPT} for key share),
    old as (
      delete from passport_pictures where file_key = $4 and exists (select from held) returning key
    ),
    discarded as (
      insert into passport_trash (key) select key from old on conflict do nothing
    )
    select exists (select from held) as held`,
};

const KEEP = {
  name: 'passport-picture',
  text: `
    with held as materialized (${CURRENT_ATTEMPT} for key share)
    insert into passport_pictures (key, file_key)
    select $5, f.key from passport_files f where f.key = $4 and exists (select from held)`,
};
