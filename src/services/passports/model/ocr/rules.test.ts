import { describe, expect, it } from 'vitest';
import { inkOf } from './ink.ts';
import { findRules } from './rules.ts';
import { type Drawing, drawing } from './testing/drawing.ts';

const rulesOn = (page: Drawing) => findRules(inkOf(page, 128), 300);
const near = (value: number) => expect.closeTo(value, -1);

describe('the rules of a page', () => {
  it('are found as long as they are, though they lean a little', () => {
    const { level, plumb } = rulesOn(drawing(800, 600).line(100, 200, 700, 208).line(150, 50, 146, 550));
    expect(level).toEqual([expect.objectContaining({ x0: near(100), y0: near(200), x1: near(700), y1: near(208) })]);
    expect(plumb).toEqual([expect.objectContaining({ x0: near(150), y0: near(50), x1: near(146), y1: near(550) })]);
  });

  it('are one where a word breaks them, and two where a column does', () => {
    const broken = drawing(800, 100).line(50, 50, 300, 50).line(340, 50, 700, 50);
    expect(rulesOn(broken).level).toHaveLength(1);
    const apart = drawing(800, 100).line(50, 50, 300, 50).line(400, 50, 700, 50);
    expect(rulesOn(apart).level).toHaveLength(2);
  });

  it('may be rows of dots', () => {
    const page = drawing(800, 100);
    for (let x = 60; x < 700; x += 9) page.box(x, 50, 3, 3);
    expect(rulesOn(page).level).toEqual([expect.objectContaining({ x0: near(60), x1: near(700), y0: near(50) })]);
  });

  it('are neither the bars of large letters nor a filled cell', () => {
    const page = drawing(800, 600)
      // П, as high as a title's letters
      .box(100, 100, 8, 60)
      .box(100, 100, 50, 8)
      .box(142, 100, 8, 60)
      .box(300, 300, 300, 60);
    expect(rulesOn(page)).toEqual({ level: [], plumb: [] });
  });

  it('are short ones too where they end at long ones, like the lines of a narrow column', () => {
    const page = drawing(400, 600).line(100, 50, 100, 550).line(160, 50, 160, 550);
    for (let y = 50; y <= 550; y += 100) page.line(100, y, 160, y);
    expect(rulesOn(page).level).toHaveLength(6);
    expect(rulesOn(page).plumb).toHaveLength(2);
  });
});
