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
}

export function postgresUploads(db: Db): Uploads {
  return {
    async keep(upload, { ttlSeconds, quotaBytes }) {
      const { rows } = await db.query<{ expires_at: Date }>(KEEP, [
        upload.key,
        upload.principal,
        upload.sizeBytes,
        upload.contentType,
        ttlSeconds,
        quotaBytes,
      ]);
      return rows[0] && { ...upload, expiresAt: rows[0].expires_at };
    },
  };
}

// The update changes nothing but locks the sum: uploads of one principal pass one at a time, and each sees the sizes of
// those before it. The trigger on `files` adds to the sum, which holds what is expired until its bytes are removed.
const KEEP = {
  name: 'keep-upload',
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
