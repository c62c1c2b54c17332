import { expect, it } from 'vitest';
import { openAsking } from './asking.ts';

it('tells since when there has been no answer, by the clock of whoever answers', () => {
  let ours = 5000;
  const asking = openAsking(() => ours);
  const tries = (at: number) => {
    ours = at;
    return asking.since()?.getTime();
  };
  expect(tries(5000)).toBeUndefined();
  expect(tries(6000)).toBeUndefined();
  asking.answered(new Date(1_000_000));
  expect(tries(7000)).toBe(1_001_000);
  asking.answered(new Date(1_001_000));
  // In vain, twice.
  expect([tries(8000), tries(10_000), tries(14_000)]).toEqual([1_002_000, 1_002_000, 1_002_000]);
  asking.answered(new Date(1_008_000));
  // A pause in which nobody asked is none of his.
  expect(tries(99_000)).toBe(1_093_000);
});
