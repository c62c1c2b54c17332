import type { Db } from '../../../base/db.ts';
import { FetchFailed } from '../../../base/fetch-failed.ts';
import { isStorageUnavailable } from '../../../base/files/storage-unavailable.ts';
import type { Files } from '../../../base/files.ts';
import type { JsonValue } from '../../../base/json.ts';
import type { Log } from '../../../base/log.ts';
import { withTimeLimit } from '../../../base/time-limit.ts';
import type { FileDeletionQueue } from '../../shared/file-deletion-queue.ts';
import { createPicture, type Picture } from '../../shared/images/picture.ts';
import { leaseRows } from '../../shared/lease-rows.ts';
import type { PictureSources, RecordSource } from '../../shared/records.ts';

/** `late`: the record was changed or deleted meanwhile. */
export type PictureOutcome = 'made' | 'none' | 'again' | 'late';

export type PictureWorker = ReturnType<typeof createPictureWorker>;

export function createPictureWorker({
  db,
  context,
  sources,
  deletions,
  log,
}: {
  db: Db;
  context: PictureSources;
  sources: readonly Pick<RecordSource, 'service' | 'picture'>[];
  deletions: FileDeletionQueue;
  log: Log;
}) {
  const { files } = context;

  const make = async ({ source, picture }: Due, signal: AbortSignal): Promise<Picture | undefined> => {
    const maker = sources.find(({ service }) => service === source);
    const bytes = await maker?.picture?.(context, picture, signal);
    return bytes && createPicture(bytes, signal);
  };

  return {
    /** Undefined when no picture is due. Safe to run concurrently. */
    async processNext(signal: AbortSignal): Promise<PictureOutcome | undefined> {
      const { rows } = await db.query<Due>(CLAIM, [1, LEASE_SECONDS]);
      const [due] = rows;
      if (due === undefined) return undefined;
      try {
        const picture = await withTimeLimit(LIMIT_MS, signal, (limited) => make(due, limited));
        if (picture) return await storePicture(db, files, due, picture);
      } catch (err) {
        signal.throwIfAborted();
        const isRetryable = due.attempts < MAX_ATTEMPTS && !(err instanceof FetchFailed && !err.transient);
        // Unavailable storage is retried without a limit.
        if (isRetryable || isStorageUnavailable(err)) {
          log.info({ err, number: due.number }, 'a picture could not be created and will be retried');
          const { rowCount } = await db.query(POSTPONE, [
            ...fence(due),
            RETRY_SECONDS * 4 ** Math.min(due.attempts - 1, 3),
          ]);
          return rowCount > 0 ? 'again' : 'late';
        }
        log.warn({ err, number: due.number }, 'a picture could not be created');
      } finally {
        await deletions.drain(signal);
      }
      const { rowCount } = await db.query(GIVE_UP, fence(due));
      return rowCount > 0 ? 'none' : 'late';
    },
  };
}

interface Due {
  readonly number: number;
  readonly source: string;
  readonly picture: JsonValue;
  readonly picture_digest: string;
  /** From 1. */
  readonly attempts: number;
}

/** Fencing values: an attempt is late when the record has another picture or another attempt meanwhile. */
const fence = ({ number, picture_digest, attempts }: Due) => [number, picture_digest, attempts];
const FENCED = `
  p.number = $1 and p.attempts = $3
  and exists (select from catalog_records r where r.number = p.number and r.picture_digest = $2)`;

const MAX_ATTEMPTS = 5;
/** 10 s after the first attempt, then 40 s, 160 s and 640 s. */
const RETRY_SECONDS = 10;
const LIMIT_MS = 60_000;
/** Longer than any attempt; then another process retries. */
const LEASE_SECONDS = 120;
/** Far above any WebP of 1024 × 1024 pixels. */
const PICTURE_MAX_BYTES = 8 * 2 ** 20;

async function storePicture(
  db: Db,
  files: Files,
  due: Due,
  { bytes, width, height, thumbnail }: Picture,
): Promise<PictureOutcome> {
  const put = async (content: Buffer) => (await files.put(content, { maxBytes: PICTURE_MAX_BYTES })).key;
  const key = await put(bytes);
  const thumbnailKey = thumbnail && (await put(thumbnail));
  // If this throws, the outcome is unknown: keep the files.
  const { rowCount } = await db.query(KEEP, [...fence(due), key, width, height, thumbnailKey ?? null]);
  if (rowCount > 0) return 'made';
  for (const unused of [key, thumbnailKey]) if (unused !== undefined) await files.remove(unused);
  return 'late';
}

const CLAIM = {
  name: 'catalog-picture-claim',
  text: `
    with job as (${leaseRows({
      ...{ table: 'catalog_picture_jobs', key: 'number', due: 'due_at <= now()', order: 'due_at, number' },
      set: 'due_at = now() + make_interval(secs => $2), attempts = q.attempts + 1',
    })})
    select job.number, job.source, job.picture, job.attempts, r.picture_digest
      from job join catalog_records r using (number)`,
};

const KEEP = {
  name: 'catalog-picture-keep',
  text: `
    with previous as materialized (
      -- Lock the record first, like writes and deletions of the record do, to avoid deadlocks.
      select r.number, r.picture_key
        from catalog_records r
       where r.number = $1 and r.picture_digest = $2
         and exists (select from catalog_picture_jobs p where p.number = r.number and p.attempts = $3)
         for update
    ),
    own as (
      delete from catalog_picture_jobs p using previous where p.number = previous.number and p.attempts = $3 returning p.number
    ),
    discarded as (
      insert into catalog_files_to_delete (key)
      select picture_key from previous join own using (number) where picture_key is not null
          on conflict do nothing
    )
    update catalog_records r
       set picture_key = $4, picture_width = $5, picture_height = $6, thumbnail_key = $7
      from own
     where r.number = own.number`,
};

const POSTPONE = {
  name: 'catalog-picture-postpone',
  text: `update catalog_picture_jobs p set due_at = now() + make_interval(secs => $4) where ${FENCED}`,
};

const GIVE_UP = {
  name: 'catalog-picture-give-up',
  text: `delete from catalog_picture_jobs p where ${FENCED}`,
};
