import { CLIENT_LIMIT_MS, type Db, type Queryable } from '../base/db.ts';

/** A file that a client uploaded for its tasks. */
export interface Upload {
  readonly key: string;
  readonly principal: string;
  readonly sizeBytes: number;
  readonly contentType: string;
  readonly expiresAt: Date;
}

export type UploadStore = ReturnType<typeof createPostgresUploadStore>;

/** Upload metadata; the file store has the bytes under the same key. */
export function createPostgresUploadStore(db: Db) {
  return {
    /** Undefined if the principal would exceed `quotaBytes`. */
    async insert(
      upload: Omit<Upload, 'expiresAt'>,
      { ttlSeconds, quotaBytes }: { readonly ttlSeconds: number; readonly quotaBytes: number },
    ): Promise<Upload | undefined> {
      const { rows } = await db.query<{ expires_at: Date }>(INSERT, [
        upload.principal,
        [upload.key],
        [upload.sizeBytes],
        [upload.contentType],
        ttlSeconds,
        quotaBytes,
      ]);
      return rows[0] && { ...upload, expiresAt: rows[0].expires_at };
    },

    /** All of them, or none: false if the principal would exceed `quotaBytes`. */
    async insertAll(
      principal: string,
      uploads: readonly Pick<Upload, 'key' | 'sizeBytes' | 'contentType'>[],
      { ttlSeconds, quotaBytes }: { readonly ttlSeconds: number; readonly quotaBytes: number },
    ): Promise<boolean> {
      const keys = uploads.map(({ key }) => key);
      const sizes = uploads.map(({ sizeBytes }) => sizeBytes);
      const types = uploads.map(({ contentType }) => contentType);
      return (await db.query(INSERT, [principal, keys, sizes, types, ttlSeconds, quotaBytes])).rowCount !== 0;
    },

    /** Whether uploads of this size do not exceed `quotaBytes` now. */
    async hasRoom(principal: string, sizeBytes: number, quotaBytes: number): Promise<boolean> {
      const { rowCount } = await db.query(
        'select from file_totals where principal = $1 and size_bytes + $2::bigint > $3::bigint',
        [principal, sizeBytes, quotaBytes],
      );
      return rowCount === 0 && sizeBytes <= quotaBytes;
    },

    /** The media type of a file that the principal uploaded; undefined if it has expired. */
    async contentType(key: string, principal: string): Promise<string | undefined> {
      const { rows } = await db.query<{ type: string }>(
        'select content_type as type from files where key = $1 and principal = $2 and expires_at > now()',
        [key, principal],
      );
      return rows[0]?.type;
    },

    /** Call after the file is deleted. */
    async remove(key: string): Promise<void> {
      await db.query('delete from files where key = $1', [key]);
    },

    /** For files that no task uses: the next cleanup deletes them. */
    async expire(keys: readonly string[]): Promise<void> {
      await db.query('update files set expires_at = now() where key = any($1::text[])', [keys]);
    },
  };
}

/** Keeps the uploads that these tasks name, of the same client, at least as long as the tasks. */
export async function keepUploadsOf(tx: Queryable, taskIds: readonly string[]): Promise<void> {
  await tx.query(KEEP, [taskIds]);
}

// By the text, because parsing an input with escapes that are no characters is an error. In one order, which prevents deadlocks.
const KEEP = {
  name: 'keep-uploads',
  limitMs: CLIENT_LIMIT_MS,
  text: `
    with named as (
      select f.key, max(t.expires_at) as expires_at
        from tasks t
       cross join lateral regexp_matches(t.input::text, '/([0-9A-HJKMNP-TV-Z]{26})', 'g') as found (keys)
        join files f on f.key = found.keys[1] and f.principal = t.principal
       where t.id = any($1::text[])
       group by f.key
    ),
    locked as materialized (
      select f.key, named.expires_at
        from files f
        join named using (key)
       where f.expires_at > now() and f.expires_at < named.expires_at
       order by f.key
         for update of f
    )
    update files f set expires_at = locked.expires_at from locked where f.key = locked.key`,
};

// The update changes nothing: it locks the sum, which serializes uploads of one principal. The trigger on `files` maintains
// the sum, which includes expired files until their bytes are deleted.
const INSERT = {
  name: 'insert-uploads',
  text: `
    with total as (
      insert into file_totals as t (principal, size_bytes) values ($1, 0)
          on conflict (principal) do update set size_bytes = t.size_bytes
      returning size_bytes
    )
    insert into files (key, principal, size_bytes, content_type, expires_at)
    select upload.key, $1::text, upload.size_bytes, upload.content_type, now() + make_interval(secs => $5)
      from total, unnest($2::text[], $3::bigint[], $4::text[]) as upload (key, size_bytes, content_type)
     where total.size_bytes + (select sum(size) from unnest($3::bigint[]) as size) <= $6::bigint
    returning expires_at`,
};
