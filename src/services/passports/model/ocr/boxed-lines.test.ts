import { describe, expect, it } from 'vitest';
import { createDrawing, type Drawing } from '../../../../../test/support/ocr/drawing.ts';
import { binarize, findComponents } from './binarize.ts';
import { takeBoxedLines } from './boxed-lines.ts';
import type { Line } from './rules.ts';

const SIZE = 60;
const LEFT = 100;
const TOP = 50;

/** Draws a character of 20 by 30 pixels in the middle of boxes of 60 by 60; a space is an empty box. */
function write(text: string): Drawing {
  const page = createDrawing(900, 300);
  for (const [i, character] of [...text].entries())
    if (character !== ' ') page.box(LEFT + i * SIZE + 20, TOP + 15, 20, 30);
  return page;
}

const line = (x0: number, y0: number, x1: number, y1: number): Line => ({ x0, y0, x1, y1, thickness: 3 });

/** The outline of `count` boxes; the rule before the box `missing` was not found. */
function take(page: Drawing, count: number, missing?: number) {
  const end = LEFT + count * SIZE;
  const horizontal = [line(LEFT, TOP, end, TOP), line(LEFT, TOP + SIZE, end, TOP + SIZE)];
  const vertical = Array.from({ length: count + 1 }, (_, i) => LEFT + i * SIZE)
    .filter((_, i) => i !== missing)
    .map((x) => line(x, TOP, x, TOP + SIZE));
  const components = findComponents(binarize(page, 128));
  return takeBoxedLines(components, { horizontal, vertical }, { width: page.width, height: page.height, dpi: 300 });
}

const describeLine = (characters: ReturnType<typeof take>['lines'][number]) =>
  characters.map(({ startsWord }) => (startsWord ? '_I' : 'I')).join('');

describe('takeBoxedLines', () => {
  it('returns the characters of boxes, and where words begin', () => {
    const { lines, rest, rules } = take(write('III II   I  '), 12);
    expect(lines.map(describeLine)).toEqual(['_III_II', '_I']);
    expect(lines[0]![0]!.box).toMatchObject({ left: LEFT + 20, top: TOP + 15, right: LEFT + 40, bottom: TOP + 45 });
    expect(rest).toEqual([]);
    expect(rules.vertical.map(({ x0 }) => x0)).toEqual([LEFT, LEFT + 12 * SIZE]);
    expect(rules.horizontal).toHaveLength(2);
  });

  it('leaves out remnants of the rules', () => {
    const page = write('II  II')
      .box(LEFT + 2 * SIZE + 2, TOP + 5, 3, 40)
      .box(LEFT + 3 * SIZE + 10, TOP + 3, 30, 4);
    expect(take(page, 6).lines.map(describeLine)).toEqual(['_II', '_II']);
  });

  it('finds characters beside a rule that was not found', () => {
    expect(take(write('IIIIII'), 6, 3).lines.map(describeLine)).toEqual(['_IIIIII']);
    const remnant = write('IIIIII').box(LEFT + 3 * SIZE - 1, TOP + 10, 3, 35);
    expect(take(remnant, 6, 3).lines.map(describeLine)).toEqual(['_IIIIII']);
    expect(take(write('IIIIII'), 6, 1).lines.map(describeLine)).toEqual(['_IIIIII']);
  });

  it('leaves boxes with several characters each as they are', () => {
    const page = write('IIIIII');
    for (let i = 0; i < 6; i++) page.box(LEFT + i * SIZE + 43, TOP + 15, 12, 30);
    const { lines, rest, rules } = take(page, 6);
    expect([lines, rest.length, rules.vertical.length]).toEqual([[], 12, 7]);
  });

  it('leaves text that does not keep to the boxes', () => {
    const page = createDrawing(900, 300);
    for (let x = LEFT + 4; x < LEFT + 300; x += 47) page.box(x, TOP + 15, 20, 30);
    expect(take(page, 6).lines).toEqual([]);
  });
});
