import { describe, expect, it } from 'vitest';
import { createDrawing } from '../../../../../test/support/ocr/drawing.ts';
import { type Projection, quarterTurn } from '../../page-geometry.ts';
import { compose, scaling, translation } from './projection.ts';
import { warp } from './warp.ts';

describe('warp', () => {
  it('rotates an image by 90° without loss', () => {
    const page = createDrawing(40, 30).box(5, 10, 8, 4);
    const rotated = warp(page, quarterTurn(90, page), 30, 40);
    // 10 px from the top becomes 10 px from the right.
    expect(rotated.data).toEqual(createDrawing(30, 40).box(30 - 14, 5, 4, 8).data);
  });

  it('enlarges an image with sharp edges', () => {
    const page = createDrawing(40, 40).box(10, 10, 20, 20);
    const large = warp(page, scaling(1 / 3), 120, 120);
    const row = [...large.data.subarray(60 * 120, 61 * 120)];
    expect(row.filter((light) => light > 20 && light < 235).length).toBeLessThanOrEqual(10);
    expect([row[20], row[60], row[110]]).toEqual([255, 0, 255]);
  });

  it('fills points outside the image with the nearest edge value', () => {
    const page = createDrawing(64, 64, 200).box(0, 0, 32, 64, 90);
    const wide = warp(page, translation(-40, 0), 144, 64);
    expect([wide.data[32 * 144 + 5], wide.data[32 * 144 + 140]]).toEqual([90, 200]);
  });

  it('gives the same pixels wherever areas of one value are', () => {
    const tilt: Projection = [1.03, 0.011, 3.3, -0.013, 0.98, 4.7, -2e-5, 3e-5, 1];
    const drawn = (dx: number, dy: number) => {
      const page = createDrawing(160, 140, 255)
        .box(60 + dx, 50 + dy, 30, 9)
        .box(64 + dx, 20 + dy, 3, 80);
      page.box(20 + dx, 90 + dy, 60, 30, 128).box(28 + dx, 97 + dy, 1, 1);
      return warp(page, compose(translation(dx, dy), tilt), 120, 110);
    };
    const expected = drawn(8, 8);
    for (let dx = 9; dx < 16; dx++) expect(drawn(dx, 8 + ((5 * dx) % 8))).toEqual(expected);
  });
});
