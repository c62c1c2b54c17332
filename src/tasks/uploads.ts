import type { Db } from '../base/db.ts';

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
        upload.key,
        upload.principal,
        upload.sizeBytes,
        upload.contentType,
        ttlSeconds,
        quotaBytes,
      ]);
      return rows[0] && { ...upload, expiresAt: rows[0].expires_at };
    },

    /** For a file that no task uses: the next cleanup deletes it. */
    async expire(key: string): Promise<void> {
      await db.query('update files set expires_at = now() where key = $1', [key]);
    },
  };
}

// The update changes nothing: it locks the sum, which serialises uploads of one principal. The trigger on `files` maintains
// the sum, which includes expired files until their bytes are deleted.
const INSERT = {
  name: 'insert-upload',
  text: `
    with total as (
      insert into file_totals as t (principal, size_bytes) values ($2, 0)
          on conflict (principal) do update set size_bytes = t.size_bytes
      returning size_bytes
    )
    insert into files (key, principal, size_bytes, content_type, expires_at)
    select $1::text, $2::text, $3::bigint, $4::text, now() + make_interval(secs => $5)
      from total
     where total.size_bytes + $3::bigint <= $6::bigint
    returning expires_at`,
};
