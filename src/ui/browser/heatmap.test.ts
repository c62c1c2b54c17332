import { describe, expect, it } from 'vitest';
import { strongestRegion } from './heatmap.ts';

describe('strongestRegion', () => {
  const heat = (width: number, values: readonly number[]) => ({
    ...{ name: 'crack', width, height: values.length / width },
    values,
  });

  it('contains the maximum, regardless of the values around it', () => {
    const values = Array<number>(100).fill(0.6);
    values[2] = 0.9;
    expect(strongestRegion(heat(10, values))).toEqual([0, 0]);
    values[4] = 1;
    expect(strongestRegion(heat(10, values))).toEqual([0, 1]);
    values[99] = 1.1;
    expect(strongestRegion(heat(10, values))).toEqual([2, 2]);
  });

  it('is undefined for an empty map', () => {
    expect(strongestRegion(heat(2, [0, 0, 0, 0]))).toBeUndefined();
    expect(strongestRegion(heat(2, []))).toBeUndefined();
  });

  it('is the middle of a map of one cell', () => {
    expect(strongestRegion(heat(1, [0.2]))).toEqual([1, 1]);
  });
});
