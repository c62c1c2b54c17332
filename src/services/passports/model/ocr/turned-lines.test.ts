import { describe, expect, it } from 'vitest';
import { createDrawing, type Drawing } from '../../../../../test/support/ocr/drawing.ts';
import { binarize, findComponents } from './binarize.ts';
import { takeTurnedLines } from './turned-lines.ts';

const HEIGHT = 24;

/** Draws a line of letters of 14 by 24 pixels, or of 24 by 14 above each other. */
function write(page: Drawing, x: number, y: number, letters: number, isTurned = false): Drawing {
  for (let i = 0; i < letters; i++) {
    if (isTurned) page.box(x, y + i * 18, HEIGHT, 14);
    else page.box(x + i * 18, y, 14, HEIGHT);
  }
  return page;
}

const take = (page: Drawing, horizontal: number[] = []) =>
  takeTurnedLines(findComponents(binarize(page, 128)), HEIGHT, {
    horizontal: horizontal.map((y) => ({ x0: 0, y0: y, x1: page.width, y1: y, thickness: 3 })),
    vertical: [],
  });

describe('takeTurnedLines', () => {
  it('finds lines of turned text, side by side, with their accents', () => {
    const page = write(createDrawing(600, 500), 300, 60, 8);
    write(write(page, 100, 100, 9, true), 136, 100, 6, true).box(94, 122, 4, 6);
    const { regions, rest } = take(page);
    expect(regions.map(({ left, top, right, bottom }) => [left, top, right, bottom])).toEqual([
      [94, 100, 124, 258],
      [136, 100, 160, 204],
    ]);
    expect(rest).toHaveLength(8);
  });

  it('separates lines at rules', () => {
    const page = write(write(createDrawing(300, 500), 100, 100, 5, true), 100, 202, 5, true);
    expect(take(page).regions).toHaveLength(1);
    expect(take(page, [195]).regions.map(({ top, bottom }) => [top, bottom])).toEqual([
      [100, 186],
      [202, 288],
    ]);
  });

  it('leaves lines of text and columns of figures', () => {
    const page = createDrawing(600, 600);
    for (let row = 0; row < 8; row++) write(write(page, 100, 100 + row * 44, 10), 500, 100 + row * 44, 1);
    const { regions, rest } = take(page);
    expect([regions, rest.length]).toEqual([[], 88]);
  });
});
