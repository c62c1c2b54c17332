import { describe, expect, it } from 'vitest';
import { createDrawing, type Drawing } from '../../../../../test/support/ocr/drawing.ts';
import { binarize } from './binarize.ts';
import { findRules, type Rules } from './rules.ts';

const rulesOn = (page: Drawing) => findRules(binarize(page, 128), 300);
const near = (value: number) => expect.closeTo(value, -1);

describe('findRules', () => {
  it('finds slightly tilted rules at their full length', () => {
    const { horizontal, vertical } = rulesOn(createDrawing(800, 600).line(100, 200, 700, 208).line(150, 50, 146, 550));
    expect(horizontal).toEqual([
      expect.objectContaining({ x0: near(100), y0: near(200), x1: near(700), y1: near(208) }),
    ]);
    expect(vertical).toEqual([expect.objectContaining({ x0: near(150), y0: near(50), x1: near(146), y1: near(550) })]);
  });

  it('joins a rule across a gap of the width of a word and not across a wider gap', () => {
    const broken = createDrawing(800, 100).line(50, 50, 300, 50).line(340, 50, 700, 50);
    expect(rulesOn(broken).horizontal).toHaveLength(1);
    const apart = createDrawing(800, 100).line(50, 50, 300, 50).line(400, 50, 700, 50);
    expect(rulesOn(apart).horizontal).toHaveLength(2);
  });

  it('finds dotted rules', () => {
    const page = createDrawing(800, 100);
    for (let x = 60; x < 700; x += 9) page.box(x, 50, 3, 3);
    expect(rulesOn(page).horizontal).toEqual([expect.objectContaining({ x0: near(60), x1: near(700), y0: near(50) })]);
  });

  it('ignores strokes of large letters and filled cells', () => {
    const page = createDrawing(800, 600)
      // The letter П of a title.
      .box(100, 100, 8, 60)
      .box(100, 100, 50, 8)
      .box(142, 100, 8, 60)
      .box(300, 300, 300, 60);
    expect(rulesOn(page)).toEqual({ horizontal: [], vertical: [] } satisfies Rules);
  });

  it('finds short rules between long ones, as in a narrow column', () => {
    const page = createDrawing(400, 600).line(100, 50, 100, 550).line(160, 50, 160, 550);
    for (let y = 50; y <= 550; y += 100) page.line(100, y, 160, y);
    expect(rulesOn(page).horizontal).toHaveLength(6);
    expect(rulesOn(page).vertical).toHaveLength(2);
  });
});
