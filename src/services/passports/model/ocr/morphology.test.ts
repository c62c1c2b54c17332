import { expect, it } from 'vitest';
import { dilate, erode } from './morphology.ts';

it('dilate() and erode() give the largest and the smallest value within the radii', () => {
  const [width, height] = [13, 9];
  const image = { width, height, data: Uint8Array.from({ length: width * height }, (_, i) => (i * 83) % 256) };
  for (const [across, down] of [
    [0, 0],
    [1, 0],
    [0, 2],
    [3, 1],
    [20, 20],
  ] as const) {
    const within = (at: number) =>
      [...image.data].filter(
        (_, i) =>
          Math.abs((i % width) - (at % width)) <= across &&
          Math.abs(Math.floor(i / width) - Math.floor(at / width)) <= down,
      );
    const all = [...image.data.keys()];
    expect([...dilate(image, { across, down }).data]).toEqual(all.map((at) => Math.max(...within(at))));
    expect([...erode(image, { across, down }).data]).toEqual(all.map((at) => Math.min(...within(at))));
  }
});
