import type { Queryable } from '../../../base/db.ts';

/** Pictures of pages, as a worker draws them: kept with the stored PDF, and gone with it. */
export interface Pictures {
  /**
   * Forgets what earlier attempts at this document have drawn. False where the attempt is not the latest one of a task
   * that is still under way: then there is nothing to draw for.
   */
  begin(attempt: Drawn): Promise<boolean>;
  /** Notes a picture; false, and nothing noted, where the attempt is not the latest one any more: its bytes are to go. */
  keep(attempt: Drawn, key: string): Promise<boolean>;
}

/** What is drawn, by whom. */
export interface Drawn {
  readonly task: string;
  readonly attempt: number;
  /** Its id: after a crash of the database two may have made an attempt of the same number. */
  readonly worker: string;
  readonly fileKey: string;
}

export function postgresPictures(db: Queryable): Pictures {
  return {
    async begin({ task, attempt, worker, fileKey }) {
      const { rows } = await db.query<{ held: boolean }>(BEGIN, [task, attempt, worker, fileKey]);
      return rows[0]!.held;
    },
    async keep({ task, attempt, worker, fileKey }, key) {
      const { rowCount } = await db.query(KEEP, [task, attempt, worker, fileKey, key]);
      return rowCount > 0;
    },
  };
}

const HOLDS = 'select from tasks where id = $1 and attempts = $2 and worker = $3 and finished_at is null';

// A PDF that is still worked on belongs to one document: it is shared from its first success on.
const BEGIN = {
  name: 'passport-pictures-begin',
  text: `
    with held as materialized (${HOLDS} for key share),
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
    with held as materialized (${HOLDS} for key share)
    insert into passport_pictures (key, file_key)
    select $5, f.key from passport_files f where f.key = $4 and exists (select from held)`,
};
