import type { Db } from '../../../base/db.ts';
import type { Files } from '../../../base/files.ts';
import { readGreyLevels } from '../../shared/images/picture.ts';
import { leaseRows } from '../../shared/lease-rows.ts';
import { lockRecords } from '../records/write.ts';
import { patternOf } from '../search/photo-pattern.ts';
import { findSamePhoto } from '../search/same-photo.ts';

/** Longer than any attempt; then another process retries. */
const LEASE_SECONDS = 60;
/** Serializes comparisons, so that of two copies the later one finds the other. Any number that no other lock uses. */
const LOCK = 3_904_220_117;

/**
 * Compares the next stored picture with those of all other records, new ones first; not the pages of `pageServices`. False when
 * none is due. Throws when the storage is unavailable; the picture is then due again after its lease.
 */
export async function compareNextPhoto(db: Db, files: Files, pageServices: readonly string[]): Promise<boolean> {
  const { rows } = await db.query<{ number: number; service: string; picture_key: string }>(CLAIM, [1, LEASE_SECONDS]);
  const [due] = rows;
  if (due === undefined) return false;
  const bytes = pageServices.includes(due.service) ? undefined : await files.get(due.picture_key);
  // Stored pictures are upright.
  const grey = bytes && (await readGreyLevels(bytes));
  const pattern = grey && patternOf(grey);
  await db.transaction(async (tx) => {
    await tx.query('select pg_advisory_xact_lock($1)', [LOCK]);
    const same = pattern && (await findSamePhoto(tx, pattern, { except: due.number }));
    const photo = same && (same.photo ?? (await tx.query<{ photo: number }>(NEW_PHOTO)).rows[0]!.photo);
    await lockRecords(tx);
    const { rowCount } = await tx.query(KEEP, [
      ...[due.number, due.picture_key, pattern?.hash ?? null],
      ...[pattern ? Buffer.from(pattern.pattern) : null, photo ?? null],
    ]);
    if (rowCount > 0 && same?.photo === null) await tx.query(JOIN, [same.number, photo]);
  });
  return true;
}

const CLAIM = {
  name: 'catalog-photo-claim',
  text: `
    with job as (${leaseRows({
      ...{ table: 'catalog_photos', key: 'number', due: 'due_at <= now()', order: 'number desc' },
      set: 'due_at = now() + make_interval(secs => $2)',
    })})
    select job.number, r.service, r.picture_key from job join catalog_records r using (number)`,
};

// Another picture of the record has a row of its own.
const KEEP = {
  name: 'catalog-photo-keep',
  text: `
    update catalog_photos p
       set due_at = null, hash = $3::text::bit(138), pattern = $4, photo = $5
      from catalog_records r
     where p.number = $1 and r.number = p.number and r.picture_key = $2`,
};

const NEW_PHOTO = { name: 'catalog-photo-new', text: `select nextval('catalog_photo_groups') as photo` };

const JOIN = {
  name: 'catalog-photo-join',
  // Without a hash: the record has another picture meanwhile.
  text: 'update catalog_photos set photo = $2 where number = $1 and photo is null and hash is not null',
};
