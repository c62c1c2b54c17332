import { describe, expect, it } from 'vitest';
import { createDrawing, type Drawing } from '../../../../../test/support/ocr/drawing.ts';
import { renderPage } from '../../../../../test/support/ocr/form.ts';
import { binarize, findComponents } from './binarize.ts';
import { eraseCheckBoxes, findCheckBoxes } from './check-boxes.ts';
import { preprocessPage } from './preprocess.ts';
import { warp } from './warp.ts';

/** Draws an outline of 30 pixels. */
function outline(page: Drawing, x: number, y: number, thick = 3): Drawing {
  return page.box(x, y, 30, 30).box(x + thick, y + thick, 30 - 2 * thick, 30 - 2 * thick, 255);
}

const LETTER_HEIGHT = 20;
const find = (page: Drawing) => {
  const ink = binarize(page, 128);
  return findCheckBoxes(ink, findComponents(ink), LETTER_HEIGHT);
};
const ticked = (page: Drawing) => find(page).map(({ left, isTicked }) => [left, isTicked]);

describe('findCheckBoxes', () => {
  it('distinguishes an empty box from a cross, a tick, a dot and a filled box', () => {
    const page = createDrawing(600, 100);
    for (const x of [20, 120, 220, 320, 420]) outline(page, x, 40);
    page.line(123, 43, 147, 67).line(147, 43, 123, 67);
    page.line(226, 55, 233, 64).line(233, 64, 244, 46);
    page.box(330, 50, 10, 10);
    page.box(420, 40, 30, 30);
    expect(ticked(page)).toEqual([
      [20, false],
      [120, true],
      [220, true],
      [320, true],
      [420, true],
    ]);
  });

  it('finds a box whose tick crosses the outline, and eraseCheckBoxes erases both', () => {
    const page = outline(outline(createDrawing(300, 120), 20, 60), 150, 60);
    page.line(158, 72, 165, 86, 4).line(165, 86, 195, 34, 4);
    expect(ticked(page)).toEqual([
      [20, false],
      [150, true],
    ]);
    eraseCheckBoxes(page, binarize(page, 128), find(page));
    expect(page.data.every((light) => light === 255)).toBe(true);
  });

  it('finds a thin box with gaps of two pixels', () => {
    const page = outline(createDrawing(200, 100), 20, 40, 2);
    page.box(30, 40, 2, 2, 255).box(20, 55, 2, 2, 255);
    expect(ticked(page)).toEqual([[20, false]]);
  });

  it('finds boxes that almost touch below each other', () => {
    const page = outline(outline(createDrawing(200, 200), 20, 40), 20, 80);
    expect(find(page).map(({ top }) => top)).toEqual([40, 80]);
  });

  it('ignores marked squares without an empty one', () => {
    const page = outline(createDrawing(200, 100), 20, 40).box(30, 50, 10, 10).box(100, 40, 30, 30);
    expect(find(page)).toEqual([]);
  });

  it('ignores boxes for single characters, boxes of other sizes and open squares', () => {
    const page = outline(outline(createDrawing(900, 200), 20, 40), 56, 40);
    page.box(200, 20, 90, 90).box(203, 23, 84, 84, 255);
    page.box(400, 40, 50, 30).box(403, 43, 44, 24, 255);
    outline(page, 500, 40).box(503, 67, 24, 3, 255);
    outline(page, 600, 40).box(610, 40, 10, 3, 255);
    expect(find(page)).toEqual([]);
  });

  it('ignores letters in regular and bold type', { tags: ['full'] }, async () => {
    const text = 'ПОДДОН ШЩЦМ D O 0 B В 8 Ф Ю QO№ 10 80 ОБЪЁМ ВОДА ЛЁД «О» [х] (v) ПОЛ';
    const sizes = [7, 8, 10, 12, 16].flatMap((fontSize) => [
      { text, fontSize },
      { text, fontSize, bold: true },
    ]);
    const page = await renderPage({ pageSize: 'A4', content: [sizes, sizes, sizes] }, 150);
    expect(preprocessPage(page).checkBoxes).toEqual([]);
  });
});

it('preprocessPage returns the boxes of a tilted page at 150 dpi', () => expectTiltedBoxes(150));
it.each([200, 300])(
  'preprocessPage returns the boxes of a tilted page at %i dpi',
  { tags: ['full'] },
  expectTiltedBoxes,
);

async function expectTiltedBoxes(dpi: number): Promise<void> {
  const square = (y: number, mark: object[] = []) => ({
    canvas: [{ type: 'rect', x: 0, y: 0, w: 8, h: 8, lineWidth: 0.6 }, ...mark],
    absolutePosition: { x: 60, y },
  });
  const stroke = (x1: number, y1: number, x2: number, y2: number) => ({ type: 'line', x1, y1, x2, y2, lineWidth: 0.8 });
  const line = (y: number) => ({ text: 'Объект капитального строительства', absolutePosition: { x: 75, y } });
  const content = [
    ...[98, 138, 178, 218, 258, 298].map(line),
    square(100),
    square(140, [stroke(0, 0, 8, 8), stroke(8, 0, 0, 8)]),
    square(180, [stroke(2, 4, 4, 7), stroke(4, 7, 10, -2)]),
    square(220, [{ type: 'rect', x: 0, y: 0, w: 8, h: 8, color: 'black' }]),
    square(260),
  ];
  const page = await renderPage({ pageSize: 'A4', content }, dpi);
  const [cos, sin] = [Math.cos(0.02), Math.sin(0.02)];
  const tilted = warp(page, [cos, -sin, 0.02 * page.height, sin, cos, 0, 0, 0, 1], page.width, page.height);
  const { checkBoxes } = preprocessPage(tilted);
  expect([...checkBoxes].sort((a, b) => a.top - b.top).map(({ isTicked }) => isTicked)).toEqual([
    false,
    true,
    true,
    true,
    false,
  ]);
}
