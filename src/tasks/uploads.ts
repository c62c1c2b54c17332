import type { Db } from '../base/db.ts';

/** Bytes that a client left with the product so that a task can name them. */
export interface Upload {
  readonly key: string;
  readonly principal: string;
  readonly sizeBytes: number;
  readonly contentType: string;
  readonly expiresAt: Date;
}

/** Which uploads there are; the bytes themselves lie in the file store under the same key. */
export interface Uploads {
  /** Writes an upload down; `undefined` when its principal would then hold more than `quotaBytes`. */
  keep(
    upload: Omit<Upload, 'expiresAt'>,
    limits: { readonly ttlSeconds: number; readonly quotaBytes: number },
  ): Promise<Upload | undefined>;
  /** Keys of uploads whose time is over, the oldest first: their bytes are to be removed, then the uploads forgotten, in this order. */
  expired(limit: number): Promise<string[]>;
  forget(keys: readonly string[]): Promise<void>;
}

/** The first half of the advisory locks that guard quotas; any number that no other lock of ours has. */
const QUOTA_LOCK = 1_970_302_049;

export function postgresUploads(db: Db): Uploads {
  return {
    async keep(upload, { ttlSeconds, quotaBytes }) {
      const { rows } = await db.transaction(async (tx) => {
        // One upload of a principal at a time: each must see the sizes of those before it.
        await tx.query('select pg_advisory_xact_lock($1, hashtext($2))', [QUOTA_LOCK, upload.principal]);
        return tx.query<{ expires_at: Date }>(
          `insert into files (key, principal, size_bytes, content_type, expires_at)
         select $1::text, $2::text, $3::bigint, $4::text, now() + make_interval(secs => $5)
          where $3::bigint + (select coalesce(sum(size_bytes), 0) from files where principal = $2 and expires_at > now()) <= $6::bigint
         returning expires_at`,
          [upload.key, upload.principal, upload.sizeBytes, upload.contentType, ttlSeconds, quotaBytes],
        );
      });
      return rows[0] && { ...upload, expiresAt: rows[0].expires_at };
    },
    async expired(limit) {
      const { rows } = await db.query<{ key: string }>(
        'select key from files where expires_at < now() order by expires_at limit $1',
        [limit],
      );
      return rows.map((row) => row.key);
    },
    async forget(keys) {
      await db.query('delete from files where key = any($1::text[])', [keys]);
    },
  };
}
