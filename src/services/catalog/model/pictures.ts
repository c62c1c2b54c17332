import type { Db } from '../../../base/db.ts';
import { FetchFailed } from '../../../base/fetch-failed.ts';
import { isStorageAway } from '../../../base/files/storage-away.ts';
import type { Files } from '../../../base/files.ts';
import type { JsonValue } from '../../../base/json.ts';
import type { Log } from '../../../base/log.ts';
import type { PictureHouse, RecordSource } from '../../records.ts';
import type { Trash } from '../../trash.ts';
import { makePicture, type Picture } from './picture.ts';

/**
 * What came of one try: made; none to be had, ever; to be tried again; or its record has changed or gone meanwhile.
 */
export type PictureOutcome = 'made' | 'none' | 'again' | 'late';

export interface PictureMaker {
  /** Makes one picture that is due; undefined where none is. Several may be made at once, by several processes too. */
  turn(signal: AbortSignal): Promise<PictureOutcome | undefined>;
}

export function openPictures({
  db,
  house,
  sources,
  trash,
  log,
}: {
  db: Db;
  house: PictureHouse;
  sources: readonly Pick<RecordSource, 'service' | 'picture'>[];
  trash: Trash;
  log: Log;
}): PictureMaker {
  const { files } = house;

  const make = async ({ source, picture }: Due, signal: AbortSignal): Promise<Picture | undefined> => {
    const maker = sources.find(({ service }) => service === source);
    const bytes = await maker?.picture?.(house, picture, signal);
    return bytes && makePicture(bytes, signal);
  };

  return {
    async turn(signal) {
      const { rows } = await db.query<Due>(CLAIM, [LEASE_SECONDS]);
      const [due] = rows;
      if (due === undefined) return undefined;
      const limit = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]);
      try {
        const picture = await make(due, limit);
        if (picture) return await keep(db, files, due, picture);
      } catch (err) {
        signal.throwIfAborted();
        const mayWork = due.attempts < MOST_ATTEMPTS && !(err instanceof FetchFailed && !err.transient);
        // A storage that is away is no picture's fault, however often it was looked for.
        if (mayWork || isStorageAway(err)) {
          log.info({ err, number: due.number }, 'a picture could not be made; it will be tried again');
          const { rowCount } = await db.query(POSTPONE, [
            ...fence(due),
            RETRY_SECONDS * 4 ** Math.min(due.attempts - 1, 3),
          ]);
          return rowCount > 0 ? 'again' : 'late';
        }
        log.warn({ err, number: due.number }, 'a picture could not be made');
      } finally {
        await trash.empty(signal);
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
  readonly picture_of: string;
  /** From 1. */
  readonly attempts: number;
}

/** What a try says that it is about: where the record has got another picture meanwhile, or another try, it has come too late. */
const fence = ({ number, picture_of, attempts }: Due) => [number, picture_of, attempts];
const MINE = `
  p.number = $1 and p.attempts = $3
  and exists (select from catalog_records r where r.number = p.number and r.picture_of = $2)`;

const MOST_ATTEMPTS = 5;
/** 10 s after the first try, then 40 s, 160 s and 640 s. */
const RETRY_SECONDS = 10;
const LIMIT_MS = 60_000;
/** A process that died with a picture gives it up after this long; longer than any try takes. */
const LEASE_SECONDS = 120;
/** 1024 × 1024 pixels, however noisy, stay far below. */
const PICTURE_MAX_BYTES = 8 * 2 ** 20;

async function keep(db: Db, files: Files, due: Due, { bytes, width, height }: Picture): Promise<PictureOutcome> {
  const { key } = await files.put(bytes, { maxBytes: PICTURE_MAX_BYTES });
  // Where this throws, it is unknown whether it was written: a file too many is better than a picture that is missing.
  const { rowCount } = await db.query(KEEP, [...fence(due), key, width, height]);
  if (rowCount > 0) return 'made';
  await files.remove(key);
  return 'late';
}

const CLAIM = {
  name: 'catalog-picture-claim',
  text: `
    update catalog_pictures p
       set due_at = now() + make_interval(secs => $1), attempts = p.attempts + 1
      from catalog_records r
     where r.number = p.number
       and p.number = (select number
                       from catalog_pictures
                      where due_at <= now()
                      order by due_at, number
                      limit 1
                        for update skip locked)
    returning p.number, p.source, p.picture, p.attempts, r.picture_of`,
};

const KEEP = {
  name: 'catalog-picture-keep',
  text: `
    with was as materialized (
      -- The record first, as whoever writes or removes it does: so two never wait for each other in a circle.
      select r.number, r.picture_key
        from catalog_records r
       where r.number = $1 and r.picture_of = $2
         and exists (select from catalog_pictures p where p.number = r.number and p.attempts = $3)
         for update
    ),
    mine as (
      delete from catalog_pictures p using was where p.number = was.number and p.attempts = $3 returning p.number
    ),
    discarded as (
      insert into catalog_trash (key)
      select picture_key from was join mine using (number) where picture_key is not null
          on conflict do nothing
    )
    update catalog_records r
       set picture_key = $4, picture_width = $5, picture_height = $6
      from mine
     where r.number = mine.number`,
};

const POSTPONE = {
  name: 'catalog-picture-postpone',
  text: `update catalog_pictures p set due_at = now() + make_interval(secs => $4) where ${MINE}`,
};

const GIVE_UP = {
  name: 'catalog-picture-give-up',
  text: `delete from catalog_pictures p where ${MINE}`,
};
