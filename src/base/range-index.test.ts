import { describe, expect, it } from 'vitest';
import { createRangeIndex } from './range-index.ts';

describe('createRangeIndex', () => {
  it('finds the items between two limits by rising number, and equal ones in the order of the items', () => {
    const items = [
      ['c', 3],
      ['a', 1],
      ['b', 2],
      ['B', 2],
      ['d', 4],
    ] as const;
    const find = createRangeIndex(items, ([, number]) => number);
    const names = (above: number, below: number) => find(above, below).map(([name]) => name);
    expect(names(1, 4)).toEqual(['b', 'B', 'c']);
    expect(names(Number.NEGATIVE_INFINITY, 2)).toEqual(['a']);
    expect(names(3.5, 9)).toEqual(['d']);
    expect(names(2, 2)).toEqual([]);
    expect(createRangeIndex([], Number)(0, 1)).toEqual([]);
  });
});
