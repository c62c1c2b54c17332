import { randomFillSync } from 'node:crypto';

// Crockford's base32: text order is value order, so new rows stay at the right edge of an index.
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const TIME_CHARS = 10;
const RANDOM_CHARS = 16;

const pool = Buffer.allocUnsafe(RANDOM_CHARS * 256);
let next = pool.length;

/**
 * A new ULID: `prefix`, then 26 base32 characters of 48 bits of time (milliseconds since 1970) and 80 random bits.
 */
export function newId(prefix = '', now = Date.now()): string {
  if (next >= pool.length) {
    randomFillSync(pool);
    next = 0;
  }
  let time = '';
  for (let i = 0, rest = now; i < TIME_CHARS; i++, rest = Math.floor(rest / 32)) time = ALPHABET[rest % 32] + time;
  let random = '';
  for (let i = 0; i < RANDOM_CHARS; i++) random += ALPHABET[pool[next++]! & 31];
  return prefix + time + random;
}
