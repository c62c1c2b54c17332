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

  it('ends a dotted rule before the letter that follows it, not at the base that its dots touch or at a separate foot', () => {
    for (const isBroken of [false, true]) {
      const page = createDrawing(900, 100).box(709, 20, 12, isBroken ? 25 : 30);
      page.box(isBroken ? 704 : 698, 47, 13, 3);
      for (let x = 60; x < 695; x += 5) page.box(x, 47, 3, 3);
      const ends = rulesOn(page).horizontal.map(({ x1 }) => x1);
      expect(Math.min(...ends)).toBeGreaterThan(685);
      expect(Math.max(...ends)).toBeLessThan(isBroken ? 704 : 700);
    }
  });

  it('ends a dotted rule after its last dot', () => {
    const page = createDrawing(900, 100);
    for (let x = 60; x < 400; x += 5) page.box(x, 47, 3, 3);
    for (let x = 408; x < 450; x += 14) page.box(x, 47, 3, 3);
    for (const rule of rulesOn(page).horizontal) expect(rule).toMatchObject({ x0: 60, x1: 439 });
  });

  it('keeps the length of a rule that letters touch', () => {
    const page = createDrawing(800, 100).line(100, 50, 600, 50);
    for (let x = 105; x < 590; x += 22) page.box(x, 22, 6, 29);
    expect(rulesOn(page).horizontal).toEqual([expect.objectContaining({ x0: near(100), x1: near(600) })]);
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
