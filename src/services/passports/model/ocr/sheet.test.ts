import { describe, expect, it } from 'vitest';
import type { Line } from './rules.ts';
import { isOn, sheetOn } from './sheet.ts';
import { drawing } from './testing/drawing.ts';

const line = (x0: number, y0: number, x1: number, y1: number): Line => ({ x0, y0, x1, y1, thickness: 3 });
const middleOf = (x: number, y: number) => ({ x0: x - 9, y0: y - 9, x1: x + 9, y1: y + 9 });

describe('the sheet on a photo', () => {
  const edges = { level: [line(60, 50, 940, 52)], plumb: [line(60, 50, 58, 1350), line(940, 50, 940, 1350)] };

  it('ends where a darker table begins, and what lies there is not of it', () => {
    const sheet = sheetOn(drawing(1000, 1400, 90).box(60, 50, 880, 1350, 220), edges);
    expect(sheet).toMatchObject({ left: 59, top: 51, right: 940, bottom: Number.POSITIVE_INFINITY });
    expect(
      [middleOf(30, 700), middleOf(500, 20), middleOf(970, 700), edges.level[0]!].map((box) => isOn(sheet, box)),
    ).toEqual([false, false, false, false]);
    expect([middleOf(100, 100), middleOf(500, 1390), line(100, 300, 900, 300)].map((box) => isOn(sheet, box))).toEqual([
      true,
      true,
      true,
    ]);
  });

  it('does not end at the frame of a form', () => {
    const sheet = sheetOn(drawing(1000, 1400, 220), edges);
    expect(isOn(sheet, edges.level[0]!)).toBe(true);
    expect(isOn(sheet, middleOf(30, 700))).toBe(true);
  });

  it('does not end under a shaded heading', () => {
    const page = drawing(1000, 1400, 220).box(60, 60, 880, 60, 150);
    const sheet = sheetOn(page, { level: [line(60, 120, 940, 120)], plumb: [] });
    expect(isOn(sheet, middleOf(500, 90))).toBe(true);
  });
});
