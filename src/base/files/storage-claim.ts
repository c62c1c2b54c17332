import type { Db } from '../db.ts';
import type { StoredKeys } from './stored-keys.ts';

/** Chosen: a clone is detected within half an hour of a sweep, long before the grace period ends. */
const ROTATION = '30 minutes';
/** Chosen: after half the grace period without a sweep, a copy of the row waits, so that the original has time to contest. */
const LATE = '12 hours';

const NONCE = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const CONTESTED =
  'contested: several databases use this file storage, see "Files without a row" in docs/operations.md\n';

export interface StorageClaim {
  /** Why the storage may not be this database's alone. */
  readonly problem?: string;
  readonly nonce: string;
  /** Whether the storage has been this database's alone for less than the grace period. */
  readonly isNew: boolean;
  /** Whether an operator allows a step to delete many files. */
  readonly allowsMany: boolean;
}

interface Row {
  nonce: string;
  next: string | null;
  isNew: boolean;
  isLate: boolean;
  allowsMany: boolean;
  databases: number;
}

/**
 * Compares the nonce in the storage's marker with that of the database, and replaces both regularly: a copy of the database
 * then has another nonce. A wrong nonce makes the storage contested for all databases until an operator deletes the marker.
 * `isOwn`: whether a storage without a marker may be marked.
 */
export async function claimStorage(deps: {
  db: Db;
  stored: StoredKeys;
  graceMs: number;
  /** With rows that refer to files. */
  databaseCount: number;
  isOwn: () => Promise<boolean>;
}): Promise<StorageClaim> {
  const { db, stored, graceMs, databaseCount, isOwn } = deps;
  await db.query('insert into file_storage default values on conflict do nothing');
  await db.query('update file_storage set databases = $1 where databases < $1', [databaseCount]);
  // Committed before the marker is written: after a crash in between, the marker has one of the two.
  await db.query(
    `update file_storage set next = gen_random_uuid() where next is null and rotated_at < now() - $1::interval`,
    [ROTATION],
  );
  // Outside the transaction, because it may take long.
  const mayMark = (await stored.readMarker().catch(() => '')) === undefined && (await isOwn());
  return db.transaction(async (tx) => {
    // Serializes the sweepers of this database.
    const { rows } = await tx.query<Row>(
      `select nonce, next, since > now() - make_interval(secs => $1) as "isNew",
              rotated_at < now() - $2::interval as "isLate", databases, coalesce(allow_many_until > now(), false) as "allowsMany"
         from file_storage
          for update`,
      [graceMs / 1000, LATE],
    );
    const { nonce, next, isNew, isLate, allowsMany, databases } = rows[0]!;
    const restartGrace = () => tx.query('update file_storage set since = now()');
    const block = async (problem: string): Promise<StorageClaim> => {
      await restartGrace();
      return { problem, nonce, isNew: true, allowsMany: false };
    };

    if (databases > databaseCount) return block('the files are those of more databases than the settings name');
    const found = await stored.readMarker().then(
      (text) => ({ marker: text?.trim() }),
      () => undefined,
    );
    if (found === undefined) return block('the marker of the file storage cannot be read');
    const { marker } = found;
    if (marker === undefined) {
      if (!mayMark) return block('the file storage has no marker and too many files that no row refers to');
      await restartGrace();
      await stored.writeMarker(`${nonce}\n`);
      return { nonce, isNew: true, allowsMany };
    }
    if (marker !== nonce && marker !== next) {
      // The other databases then delete nothing either.
      if (NONCE.test(marker)) await stored.writeMarker(CONTESTED);
      return block('other databases may use the file storage');
    }
    if (isLate) await restartGrace();
    if (next !== null) {
      if (marker !== next) await stored.writeMarker(`${next}\n`);
      await tx.query('update file_storage set nonce = next, next = null, rotated_at = now()');
    }
    return { nonce: next ?? nonce, isNew: isNew || isLate, allowsMany };
  });
}
