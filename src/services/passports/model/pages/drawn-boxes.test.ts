import { describe, expect, it } from 'vitest';
import { takeCheckBoxes } from './drawn-boxes.ts';
import type { Glyph } from './page-words.ts';
import type { Stroke } from './rules.ts';

const PAGE = { width: 100, height: 100 };

const glyph = (text: string, x: number, y: number): Glyph => ({
  text,
  glyphBox: [x, y, x + 5, y + 7],
  advanceBox: [x, y, x + 6, y + 8],
  size: 8,
  turn: 0,
  unknown: false,
});
const square = (x: number, y: number, side = 10): Stroke[] => [
  [x, y, x + side, y],
  [x + side, y, x + side, y + side],
  [x + side, y + side, x, y + side],
  [x, y + side, x, y],
];
const cross = (x: number, y: number): Stroke[] => [
  [x + 1, y + 1, x + 9, y + 9],
  [x + 1, y + 9, x + 9, y + 1],
];
const found = (glyphs: readonly Glyph[], strokes: readonly Stroke[]) =>
  takeCheckBoxes(glyphs, strokes, PAGE).boxes.map(({ text, box }) => `${text} ${box[0] * 100} ${box[1] * 100}`);
const labels = [1, 2, 3].map((row) => glyph('к', 24, 20 * row + 1));

describe('takeCheckBoxes', () => {
  it('finds empty squares, and squares with a letter, a sign or a drawn cross, below each other', () => {
    const strokes = [...square(10, 20), ...square(10, 40), ...square(10, 60), ...cross(10, 60)];
    const glyphs = [...labels, glyph('×', 12, 41)];
    expect(found(glyphs, strokes)).toEqual(['☐ 10 20', '☑ 10 40', '☑ 10 60']);
    expect(found([...labels, glyph('X', 12, 41)], strokes)).toContain('☑ 10 40');
  });

  it('leaves out their marks and sides, and keeps the rest', () => {
    const mark = glyph('×', 12, 41);
    const line: Stroke = [0, 90, 90, 90];
    const taken = takeCheckBoxes([...labels, mark], [...square(10, 20), ...square(10, 40), line], PAGE);
    expect(taken.glyphs).toEqual(labels);
    expect(taken.strokes).toEqual([line]);
  });

  it('ignores marked squares without an empty one, framed numbers and squares without text beside them', () => {
    expect(found([...labels, glyph('×', 12, 21)], square(10, 20))).toEqual([]);
    expect(found([...labels, glyph('7', 12, 21)], square(10, 20))).toEqual([]);
    expect(found([], square(10, 20))).toEqual([]);
  });

  it('ignores boxes for single characters, cells of a table and rectangles', () => {
    expect(found(labels, [...square(10, 20), ...square(22, 20)])).toEqual([]);
    expect(found(labels, [...square(10, 20), [10, 20, 90, 20]])).toEqual([]);
    const wide: Stroke[] = square(0, 20).map(([a, b, c, d]) => [2 * a, b, 2 * c, d]);
    expect(found(labels, wide)).toEqual([]);
  });

  it('ignores the thousands of short strokes of a floor plan', () => {
    const plan = Array.from({ length: 3000 }, (_, i): Stroke => [i % 90, 70, (i % 90) + 8, 70]);
    expect(found(labels, [...square(10, 20), ...plan])).toEqual([]);
  });
});
