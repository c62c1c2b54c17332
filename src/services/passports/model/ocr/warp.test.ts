import { describe, expect, it } from 'vitest';
import { createDrawing } from '../../../../../test/support/ocr/drawing.ts';
import { quarterTurn } from '../../page-geometry.ts';
import { scaling, translation } from './projection.ts';
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
});
