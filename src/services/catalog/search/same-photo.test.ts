import { describe, expect, it } from 'vitest';
import type { Queryable } from '../../../base/db.ts';
import { createRandom } from '../../../base/random.ts';
import { GREY_SIDE } from '../../shared/picture-features.ts';
import { patternOf } from './photo-pattern.ts';
import { findSamePhoto } from './same-photo.ts';

const random = createRandom(7);
const randomPattern = () => patternOf(Uint8Array.from({ length: GREY_SIDE ** 2 }, () => 256 * random()))!;

/** A database whose nearest records have these patterns. */
function databaseOf(patterns: readonly Int8Array[]): Queryable {
  const rows = patterns.map((pattern, i) => ({ number: i + 1, photo: null, pattern: Buffer.from(pattern) }));
  return { query: async () => ({ rows, rowCount: rows.length }) } as unknown as Queryable;
}

const others = Array.from({ length: 10 }, () => randomPattern().pattern);

describe('findSamePhoto', () => {
  it('returns the first candidate with the same photo', async () => {
    const photo = randomPattern();
    const db = databaseOf([...others.slice(0, 2), photo.pattern, photo.pattern]);
    expect(await findSamePhoto(db, photo)).toMatchObject({ number: 3 });
    expect(await findSamePhoto(databaseOf(others), photo)).toBeUndefined();
  });

  it('lets the event loop run after each candidate, also with several searches at once', async () => {
    let turns = 0;
    let stopped = false;
    const count = () => {
      turns++;
      if (!stopped) setImmediate(count);
    };
    setImmediate(count);
    await Promise.all([1, 2].map(() => findSamePhoto(databaseOf(others), randomPattern())));
    stopped = true;
    expect(turns).toBeGreaterThanOrEqual(2 * others.length);
  });

  it('compares no further candidates after the client has disconnected', async () => {
    let checks = 0;
    const isAbandoned = () => ++checks === 3;
    await expect(findSamePhoto(databaseOf(others), randomPattern(), { isAbandoned })).rejects.toThrow();
    expect(checks).toBe(3);
  });
});
