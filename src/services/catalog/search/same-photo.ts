import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import pLimit from 'p-limit';
import { badRequest } from '../../../base/api-error.ts';
import type { Queryable } from '../../../base/db.ts';
import { isSamePhoto, MAX_DIFFERENT_BITS, type PhotoPattern } from './photo-pattern.ts';

/** Nearest hashes that are compared. */
const CANDIDATES = 10;

/** A comparison blocks the event loop for 5 to 10 ms. Other requests run between two of them. */
const oneAtATime = pLimit(1);

interface Compared {
  readonly number: number;
  /** Null: no other record of the same photo is known. */
  readonly photo: number | null;
  readonly pattern: Buffer;
}

interface FindOptions {
  readonly except?: number;
  readonly limitMs?: number;
  /** Whether the client has disconnected, which ends the comparisons with an error. */
  readonly isAbandoned?: () => boolean;
}

/** The nearest record with the same photo, also a hidden one, but not the record `except`. */
export async function findSamePhoto(
  db: Queryable,
  { hash, pattern }: PhotoPattern,
  { except = 0, limitMs, isAbandoned }: FindOptions = {},
): Promise<Compared | undefined> {
  const { rows } = await db.query<Compared>(limitMs === undefined ? NEAR : { ...NEAR, limitMs }, [
    except,
    hash,
    MAX_DIFFERENT_BITS,
    CANDIDATES,
  ]);
  for (const other of rows) {
    const isSame = await oneAtATime(async () => {
      await yieldToEventLoop();
      if (isAbandoned?.() === true) throw badRequest();
      return isSamePhoto(pattern, new Int8Array(other.pattern));
    });
    if (isSame) return other;
  }
  return undefined;
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
