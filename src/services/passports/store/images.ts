import { CLIENT_LIMIT_MS, type Db, type Queryable } from '../../../base/db.ts';
import type { Caller, ImageRow } from '../documents.ts';
import { checkQuota } from './quota.ts';
import { createUuids } from './uuid.ts';

const limitMs = CLIENT_LIMIT_MS;
/** First half of an advisory lock key, unique in this product. */
const COUNT_LOCK = 1_884_220_663;

/** Images expire after `ttlSeconds`, even before they are deleted. */
export interface Images {
  add(caller: Caller, image: Omit<ImageRow, 'id' | 'rotation'>, maxImages: number): Promise<ImageRow | 'too-many'>;
  all(session: string): Promise<ImageRow[]>;
  find(session: string, id: string): Promise<ImageRow | undefined>;
  rotate(session: string, id: string, by: 90 | 270): Promise<ImageRow | undefined>;
  remove(session: string, id: string): Promise<boolean>;
  clear(session: string, tx?: Queryable): Promise<void>;
  deleteExpired(): Promise<number>;
}

export function postgresImages(db: Db, { ttlSeconds, quotaBytes }: { ttlSeconds: number; quotaBytes: number }): Images {
  const query = async (sql: { name: string; text: string }, params: unknown[]) =>
    (await (db as Queryable).query<Row>({ ...sql, limitMs }, params)).rows.map(toImage);
  return {
    add: (caller, image, maxImages) =>
      db.transaction(async (tx) => {
        const { session, key = null } = caller;
        // Serialised per session: each count must include the previous image.
        await tx.query('select pg_advisory_xact_lock($1, hashtext($2))', [COUNT_LOCK, session]);
        await checkQuota(tx, caller, image.sizeBytes, quotaBytes);
        const { rows } = await tx.query<Row>({ ...ADD, limitMs }, [
          ...[
            createUuids(1)[0],
            session,
            image.filename,
            image.fileKey,
            image.sha256,
            image.sizeBytes,
            image.contentType,
          ],
          ...[image.width, image.height, ttlSeconds, maxImages, key],
        ]);
        return rows[0] ? toImage(rows[0]) : 'too-many';
      }),
    all: (session) => query(ALL, [session, ttlSeconds]),
    find: async (session, id) => (await query(FIND, [session, id, ttlSeconds]))[0],
    rotate: async (session, id, by) => (await query(ROTATE, [session, id, ttlSeconds, by]))[0],
    remove: async (session, id) => (await query(REMOVE, [session, id, ttlSeconds])).length > 0,
    async clear(session, tx = db) {
      await tx.query('delete from passport_images where session = $1', [session]);
    },
    async deleteExpired() {
      const { rowCount } = await db.query(DELETE_EXPIRED, [ttlSeconds]);
      return rowCount;
    },
  };
}

interface Row {
  id: string;
  filename: string;
  file_key: string;
  sha256: string;
  size_bytes: number;
  content_type: string;
  width: number;
  height: number;
  rotation: ImageRow['rotation'];
}

const toImage = (row: Row): ImageRow => ({
  id: row.id,
  filename: row.filename,
  fileKey: row.file_key,
  sha256: row.sha256,
  sizeBytes: row.size_bytes,
  contentType: row.content_type,
  width: row.width,
  height: row.height,
  rotation: row.rotation,
});

const COLUMNS = 'id, filename, file_key, sha256, size_bytes, content_type, width, height, rotation';
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
