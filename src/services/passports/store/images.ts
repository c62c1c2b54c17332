import { CLIENT_LIMIT_MS, type Db, type Queryable } from '../../../base/db.ts';
import type { Caller, ImageRow } from '../documents.ts';
import { checkQuota } from './quota.ts';
import { createUuids } from './uuid.ts';

const limitMs = CLIENT_LIMIT_MS;
/** First half of an advisory lock key, unique in this product. */
const COUNT_LOCK = 1_884_220_663;

/** Images expire after `ttlSeconds`, even before they are deleted. */
export function postgresImages(db: Db, { ttlSeconds, quotaBytes }: { ttlSeconds: number; quotaBytes: number }) {
  const query = async (sql: { name: string; text: string }, params: unknown[], on: Queryable = db) =>
    (await on.query<ImageRow>({ ...sql, limitMs }, params)).rows;
  return {
    add: (caller: Caller, image: Omit<ImageRow, 'id' | 'rotation'>, maxImages: number) =>
      db.transaction(async (tx) => {
        const { session, key = null } = caller;
        // Serialized per session: each count must include the previous image.
        await tx.query('select pg_advisory_xact_lock($1, hashtext($2))', [COUNT_LOCK, session]);
        await checkQuota(tx, caller, image.sizeBytes, quotaBytes);
        const { filename, fileKey, sha256, sizeBytes, contentType, width, height } = image;
        const params = [createUuids(1)[0], session, filename, fileKey, sha256, sizeBytes, contentType, width, height];
        const [added] = await query(ADD, [...params, ttlSeconds, maxImages, key], tx);
        return added ?? ('too-many' as const);
      }),
    all: (session: string) => query(ALL, [session, ttlSeconds]),
    find: async (session: string, id: string) => (await query(FIND, [session, id, ttlSeconds]))[0],
    rotate: async (session: string, id: string, by: 90 | 270) =>
      (await query(ROTATE, [session, id, ttlSeconds, by]))[0],
    remove: async (session: string, id: string) => (await query(REMOVE, [session, id, ttlSeconds])).length > 0,
    async removeMany(session: string, ids: readonly string[], tx: Queryable = db) {
      await tx.query('delete from passport_images where session = $1 and id = any($2::text[])', [session, ids]);
    },
    async deleteExpired() {
      const { rowCount } = await db.query(DELETE_EXPIRED, [ttlSeconds]);
      return rowCount;
    },
  };
}

const COLUMNS = `
  id, filename, file_key as "fileKey", sha256, size_bytes as "sizeBytes", content_type as "contentType",
  width, height, rotation`;
const notExpired = (ttl: string) => `created_at > now() - make_interval(secs => ${ttl})`;

const ADD = {
  name: 'passport-add-image',
  text: `
    insert into passport_images (id, session, filename, file_key, sha256, size_bytes, content_type, width, height, key_name)
    select $1, $2, $3, $4, $5, $6::bigint, $7, $8::int, $9::int, $12
     where (select count(*) from passport_images where session = $2 and ${notExpired('$10')}) < $11
    returning ${COLUMNS}`,
};

// Ids start with the time too, but are unordered within a millisecond.
const ALL = {
  name: 'passport-images',
  text: `select ${COLUMNS} from passport_images where session = $1 and ${notExpired('$2')} order by created_at, id`,
};

const FIND = {
  name: 'passport-image',
  text: `select ${COLUMNS} from passport_images where session = $1 and id = $2 and ${notExpired('$3')}`,
};

const ROTATE = {
  name: 'passport-rotate-image',
  text: `
    update passport_images
       set rotation = (rotation + $4::int) % 360
     where session = $1 and id = $2 and ${notExpired('$3')}
    returning ${COLUMNS}`,
};

const REMOVE = {
  name: 'passport-remove-image',
  text: `delete from passport_images where session = $1 and id = $2 and ${notExpired('$3')} returning ${COLUMNS}`,
};

const DELETE_EXPIRED = `
  delete from passport_images
   where id in (select id
                  from passport_images
                 where created_at <= now() - make_interval(secs => $1)
                 order by created_at
                 limit 1000
                   for update skip locked)`;
