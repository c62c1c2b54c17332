import type { Queryable } from '../../../base/db.ts';
import { isSamePhoto, MAX_DIFFERENT_BITS, type PhotoPattern } from './photo-pattern.ts';

/** Nearest hashes that are compared. */
const CANDIDATES = 10;

interface Compared {
  readonly number: number;
  /** Null: no other record of the same photo is known. */
  readonly photo: number | null;
  readonly pattern: Buffer;
}

/** The nearest record with the same photo, also a hidden one, but not the record `except`. */
export async function findSamePhoto(
  db: Queryable,
  { hash, pattern }: PhotoPattern,
  { except = 0, limitMs }: { readonly except?: number; readonly limitMs?: number } = {},
): Promise<Compared | undefined> {
  const { rows } = await db.query<Compared>(limitMs === undefined ? NEAR : { ...NEAR, limitMs }, [
    except,
    hash,
    MAX_DIFFERENT_BITS,
    CANDIDATES,
  ]);
  return rows.find((other) => isSamePhoto(pattern, new Int8Array(other.pattern)));
}

const NEAR = {
  name: 'catalog-photo-near',
  text: `
    select number, photo, pattern
      from catalog_photos
     where number <> $1 and bit_count(hash # $2::text::bit(138)) <= $3
     order by bit_count(hash # $2::text::bit(138)), number
     limit $4`,
};
