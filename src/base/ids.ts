import { randomFillSync } from 'node:crypto';

// Crockford's base32: no letter is mistaken for a digit, and text order is value order, so new rows stay at the right
// edge of an index.
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const TIME_CHARS = 10;
const RANDOM_CHARS = 16;

// Random bytes are drawn in bulk: one system call per 256 ids instead of one per id.
const pool = Buffer.allocUnsafe(RANDOM_CHARS * 256);
let next = pool.length;

/**
 * A new identifier: 48 bits of time (milliseconds since 1970), then 80 random bits, as 26 base32 characters after
 * `prefix`. Ids of one moment lie together and nobody guesses one.
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
