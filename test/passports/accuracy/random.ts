import { createRandom as createSequence } from '../../../src/base/random.ts';

/** A seeded random generator. */
export interface Random {
  /** In [0, 1). */
  next(): number;
  /** An integer in [min, max]. */
  integer(min: number, max: number): number;
  pick<T>(from: readonly T[]): T;
  chance(share: number): boolean;
}

export function createRandom(seed: number): Random {
  const next = createSequence(seed);
  return {
    next,
    integer: (min, max) => min + Math.floor(next() * (max - min + 1)),
    pick: (from) => from[Math.floor(next() * from.length)]!,
    chance: (share) => next() < share,
  };
}
