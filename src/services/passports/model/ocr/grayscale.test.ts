import { describe, expect, it } from 'vitest';
import { downscale, toGrayscale } from './grayscale.ts';

describe('grayscale images', () => {
  it('toGrayscale converts colours by BT.601 weights', () => {
    const data = Uint8Array.of(255, 255, 255, 0, 0, 0, 255, 0, 0, 0, 0, 255);
    expect([...toGrayscale({ width: 4, height: 1, channels: 3, data }).data]).toEqual([255, 0, 76, 28]);
  });

  it('toGrayscale blends transparent pixels with white', () => {
    const data = Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 128, 0, 0, 0, 255);
    expect([...toGrayscale({ width: 3, height: 1, channels: 4, data }).data]).toEqual([255, 127, 0]);
  });

  it('downscale averages squares, also partial ones at the edges', () => {
    const data = Uint8Array.of(0, 100, 10, 200, 100, 30, 50, 70, 90);
    expect(downscale({ width: 3, height: 3, data }, 2)).toEqual({
      width: 2,
      height: 2,
      data: Uint8Array.of(100, 20, 60, 90),
    });
  });

  it.each([2, 3, 4, 8, 16, 20, 24])('downscale by %d gives the means, rounded down', (by) => {
    const [width, height] = [3 * by + 5, 2 * by + 1];
    const data = Uint8Array.from({ length: width * height }, (_, i) => (i % 7 === 0 ? 255 : (i * 97) % 256));
    const { width: columns, height: rows, data: small } = downscale({ width, height, data }, by);
    expect([columns, rows]).toEqual([Math.ceil(width / by), 3]);
    for (const [at, mean] of small.entries()) {
      const [left, top] = [(at % columns) * by, Math.floor(at / columns) * by];
      const square = [...data].filter((_, i) => {
        const [x, y] = [(i % width) - left, Math.floor(i / width) - top];
        return x >= 0 && x < by && y >= 0 && y < by;
      });
      expect(mean).toBe(Math.floor(square.reduce((sum, value) => sum + value, 0) / square.length));
    }
  });
});
