import { describe, expect, it } from 'vitest';
import { createDrawing, type Drawing } from '../../../../../test/support/ocr/drawing.ts';
import { binarize } from './binarize.ts';
import { removeRules } from './rule-removal.ts';
import { findRules } from './rules.ts';

function erased(page: Drawing): Drawing {
  const ink = binarize(page, 128);
  removeRules(page, ink, findRules(ink, 300));
  return page;
}

describe('removeRules', () => {
  it('removes a grid completely, including its crossings', () => {
    const page = createDrawing(600, 600);
    for (const at of [100, 300, 500]) page.line(100, at, 500, at).line(at, 100, at, 500);
    expect(erased(page).data.every((light) => light === 255)).toBe(true);
  });

  it('keeps a stroke that crosses a rule, and the part above the rule of one that ends on it', () => {
    const page = createDrawing(600, 200).line(50, 100, 550, 100, 4).box(200, 70, 6, 60).box(400, 60, 6, 40);
    const dark = (x: number, y: number) => erased(page).data[y * 600 + x] === 0;
    expect([75, 99, 100, 125].map((y) => dark(203, y))).toEqual([true, true, true, true]);
    expect([62, 90].map((y) => dark(403, y))).toEqual([true, true]);
    expect([300, 450].map((x) => dark(x, 100))).toEqual([false, false]);
  });
});
