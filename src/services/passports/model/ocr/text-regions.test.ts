import { describe, expect, it } from 'vitest';
import { createDrawing, type Drawing } from '../../../../../test/support/ocr/drawing.ts';
import { binarize, findComponents } from './binarize.ts';
import { cropRegion, findTextRegions, MARGIN, medianLetterHeight } from './text-regions.ts';

/** Draws a row of letters of 14 × 24 pixels. */
function write(page: Drawing, x: number, y: number, letters: number): Drawing {
  for (let letter = 0; letter < letters; letter++) page.box(x + letter * 18, y, 14, 24);
  return page;
}

function regions(page: Drawing, vertical: number[] = []) {
  const components = findComponents(binarize(page, 128));
  return findTextRegions(components, medianLetterHeight(components), {
    horizontal: [],
    vertical: vertical.map((x) => ({ x0: x, y0: 0, x1: x, y1: page.height, thickness: 3 })),
  }).map(({ left, top, right, bottom }) => [left, top, right, bottom]);
}

describe('text regions', () => {
  it('findTextRegions joins adjacent words and splits at wide gaps', () => {
    const page = write(write(write(createDrawing(900, 200), 50, 50, 6), 180, 50, 6), 500, 50, 4);
    expect(regions(page)).toEqual([
      [50, 50, 284, 74],
      [500, 50, 568, 74],
    ]);
  });

  it('findTextRegions joins words on both sides of a dash, but not of a rule or a line below them', () => {
    const page = (top: number) => write(write(createDrawing(900, 200), 50, 50, 6), 236, 50, 6).box(186, top, 16, 3);
    expect(regions(page(61))).toEqual([[50, 50, 340, 74]]);
    expect(regions(page(61), [220])).toHaveLength(3);
    expect(regions(page(73))).toHaveLength(3);
  });

  it('findTextRegions joins at a dash the nearest words, not lines at another height', () => {
    const cells = write(write(write(createDrawing(900, 200), 20, 50, 6), 150, 50, 2), 236, 50, 6).box(199, 61, 16, 3);
    expect(regions(cells, [134])).toEqual([
      [20, 50, 124, 74],
      [150, 50, 340, 74],
    ]);
    const staggered = write(write(createDrawing(900, 200), 50, 50, 6), 236, 62, 6).box(186, 67, 16, 3);
    expect(regions(staggered)).toHaveLength(3);
  });

  it('findTextRegions splits at a rule between close words', () => {
    const page = write(write(createDrawing(900, 200), 50, 50, 6), 180, 50, 6);
    expect(regions(page, [169])).toEqual([
      [50, 50, 154, 74],
      [180, 50, 284, 74],
    ]);
  });

  it('findTextRegions includes commas and accents', () => {
    const page = write(createDrawing(900, 200), 50, 60, 4).box(122, 78, 5, 12).box(55, 48, 8, 5);
    write(page, 134, 60, 1);
    expect(regions(page)).toEqual([[50, 48, 148, 90]]);
  });

  it('findTextRegions adds the parts of a broken figure to its line, not those behind a rule', () => {
    // Most letters of the page are smaller.
    const page = createDrawing(900, 300);
    for (let x = 50; x < 500; x += 18) page.box(x, 20, 12, 16);
    // A 2 without its diagonal stroke, and then an 8 that is broken as well.
    page.box(100, 100, 12, 15).box(96, 121, 14, 3).box(120, 113, 5, 11).box(126, 100, 8, 24);
    write(page, 138, 100, 3);
    expect(regions(page).slice(-1)).toEqual([[96, 100, 188, 124]]);
    expect(regions(page, [116])).toContainEqual([100, 100, 112, 115]);
  });

  it('findTextRegions does not follow specks from line to line', () => {
    const page = write(write(createDrawing(900, 300), 50, 60, 8), 50, 130, 8);
    for (const [i, y] of [88, 96, 104, 112, 120].entries()) page.box(80 + i * 8, y, 5, 5);
    page.box(120, 86, 2, 2);
    const [first, second] = regions(page);
    expect(first![3]).toBeLessThan(100);
    expect(second![1]).toBeGreaterThan(110);
  });

  it('findTextRegions finds single digits on separate lines', () => {
    const page = write(createDrawing(900, 400), 50, 20, 12);
    for (const y of [100, 160, 220]) page.box(700, y, 14, 24);
    expect(regions(page).slice(1)).toEqual([100, 160, 220].map((y) => [700, y, 714, y + 24]));
  });

  it('cropRegion adds a margin, omits neighbouring ink and downscales', () => {
    const page = write(createDrawing(200, 100), 50, 40, 2).box(50, 70, 30, 2);
    const region = { left: 50, top: 40, right: 82, bottom: 64 };
    const { across, down } = MARGIN;
    const whole = cropRegion(page, region, 1);
    expect([whole.width, whole.height]).toEqual([32 + 2 * across, 24 + 2 * down]);
    const at = (x: number, y: number) => whole.data[y * whole.width + x];
    expect([at(across, down), at(across - 1, down), at(across + 31, down + 23), at(0, 0)]).toEqual([0, 255, 0, 255]);
    expect(at(across + 5, down + 31)).toBe(255);

    const half = cropRegion(page, region, 0.5);
    expect([half.width, half.height]).toEqual([16 + across, 12 + down]);
    expect(half.data[(down / 2) * half.width + across / 2]).toBe(0);
  });
});
