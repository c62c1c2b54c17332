import { describe, expect, it } from 'vitest';
import { createDrawing } from '../../../../../test/support/ocr/drawing.ts';
import { detectPageEdges, isInsidePage } from './page-edges.ts';
import type { Line, Rules } from './rules.ts';

const line = (x0: number, y0: number, x1: number, y1: number): Line => ({ x0, y0, x1, y1, thickness: 3 });
const middleOf = (x: number, y: number) => ({ x0: x - 9, y0: y - 9, x1: x + 9, y1: y + 9 });

describe('detectPageEdges', () => {
  const edges: Rules = {
    horizontal: [line(60, 50, 940, 52)],
    vertical: [line(60, 50, 58, 1350), line(940, 50, 940, 1350)],
  };

  it('finds the edges of a page on a darker background and excludes what is outside', () => {
    const found = detectPageEdges(createDrawing(1000, 1400, 90).box(60, 50, 880, 1350, 220), edges);
    expect(found).toMatchObject({ left: 59, top: 51, right: 940, bottom: Number.POSITIVE_INFINITY });
    expect(
      [middleOf(30, 700), middleOf(500, 20), middleOf(970, 700), edges.horizontal[0]!].map((box) =>
        isInsidePage(found, box),
      ),
    ).toEqual([false, false, false, false]);
    expect(
      [middleOf(100, 100), middleOf(500, 1390), line(100, 300, 900, 300)].map((box) => isInsidePage(found, box)),
    ).toEqual([true, true, true]);
  });

  it('ignores the frame of a form', () => {
    const found = detectPageEdges(createDrawing(1000, 1400, 220), edges);
    expect(isInsidePage(found, edges.horizontal[0]!)).toBe(true);
    expect(isInsidePage(found, middleOf(30, 700))).toBe(true);
  });

  it('ignores the rule below a shaded heading', () => {
    const page = createDrawing(1000, 1400, 220).box(60, 60, 880, 60, 150);
    const found = detectPageEdges(page, { horizontal: [line(60, 120, 940, 120)], vertical: [] });
    expect(isInsidePage(found, middleOf(500, 90))).toBe(true);
  });
});
