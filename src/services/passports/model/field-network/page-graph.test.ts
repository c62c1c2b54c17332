import { describe, expect, it } from 'vitest';
import type { ReadPage, Rule } from '../../page-geometry.ts';
import { type Sheet, tokenizePages, VALUE_BOUNDARY } from '../fields/page-tokens.ts';
import { linkTokens, RELATIONS, sameCell } from './page-graph.ts';

/** The width and height of the page in points. */
const SIZE = 1000;
type PlacedWord = readonly [x: number, y: number, text: string];

/** A page of words at (x, y) in points; letters are 6 pt wide and 10 pt high. */
function sheetOf(words: readonly PlacedWord[], rules: readonly Rule[] = []): Sheet {
  const page: ReadPage = {
    ...{ page: 1, width: SIZE, height: SIZE, turn: 0, reader: 'text', rules },
    words: words.map(([x, y, text]) => ({
      text,
      box: [x / SIZE, y / SIZE, (x + 6 * text.length) / SIZE, (y + 10) / SIZE],
      confidence: null,
    })),
  };
  return tokenizePages([page], VALUE_BOUNDARY)[0]!;
}
const level = (x0: number, x1: number, y: number): Rule => [x0 / SIZE, y / SIZE, x1 / SIZE, y / SIZE];
const plumb = (x: number, y0: number, y1: number): Rule => [x / SIZE, y0 / SIZE, x / SIZE, y1 / SIZE];

/** The related words of the word `text`, by relation; relations without a word are omitted. */
function related(sheet: Sheet, text: string): Record<string, string> {
  const { tokens } = sheet;
  const links = linkTokens(sheet).neighbours[tokens.findIndex((token) => token.text === text)]!;
  return Object.fromEntries(
    RELATIONS.flatMap((relation, r) => (links[r]! < 0 ? [] : [[relation, tokens[links[r]!]!.text]])),
  );
}

describe('linkTokens() without ruled lines', () => {
  const sheet = sheetOf([
    [40, 40, 'Год'],
    [64, 40, 'постройки'],
    [124, 40, '1974'],
    [40, 60, 'Этажей'],
    [124, 60, '5'],
  ]);

  it('links a word to the nearest words left and right on its line', () => {
    expect(related(sheet, 'постройки')).toMatchObject({ left: 'Год', right: '1974' });
    expect(related(sheet, 'Год')).not.toHaveProperty('left');
    expect(related(sheet, '1974')).not.toHaveProperty('right');
  });

  it('links a word to the nearest words above and below that overlap it', () => {
    expect(related(sheet, '1974')).toMatchObject({ below: '5' });
    expect(related(sheet, '5')).toMatchObject({ above: '1974' });
    expect(related(sheet, '5')).not.toHaveProperty('below');
    expect(related(sheet, 'Год')).not.toHaveProperty('above');
  });

  it('links a word to the one nearest to its left edge if several words stand below it', () => {
    const below = sheetOf([
      [40, 40, 'Наименование'],
      [90, 60, 'жилая'],
      [42, 60, 'кухня'],
    ]);
    expect(related(below, 'Наименование')).toMatchObject({ below: 'кухня' });
  });

  it('links a word to the nearest line above, not to a farther line with the same left edge', () => {
    const above = sheetOf([
      [100, 40, 'первая'],
      [112, 60, 'вторая'],
      [100, 80, 'третья'],
    ]);
    expect(related(above, 'третья')).toMatchObject({ above: 'вторая' });
  });

  it('does not link words of one line that are more than 60 letter heights apart', () => {
    const line = sheetOf([
      [10, 40, 'слева'],
      [700, 40, 'справа'],
    ]);
    expect(related(line, 'слева')).toEqual({});
    expect(related(line, 'справа')).toEqual({});
  });

  it('links a number to the word at the head of its column', () => {
    const column = sheetOf([
      [40, 20, 'Экспликация'],
      [40, 40, 'Площадь'],
      [40, 60, '12,5'],
      [40, 80, '9,1'],
      [40, 100, '44'],
    ]);
    for (const number of ['12,5', '9,1', '44']) expect(related(column, number)).toMatchObject({ head: 'Площадь' });
  });

  it('reports no word as being in the cell of another', () => {
    const { cells } = linkTokens(sheet);
    expect(cells[0]).toEqual({ left: undefined, top: undefined, right: undefined, bottom: undefined });
    expect(sameCell(cells[0]!, cells[1]!)).toBe(false);
  });

  it('returns no links for an empty page', () => {
    expect(linkTokens(sheetOf([]))).toMatchObject({ neighbours: [], cells: [] });
  });
});

describe('linkTokens() in a ruled table', () => {
  // Номер       | Площадь, м²
  // комнаты     |
  // ------------+------------
  // Жилая зала  | 12,5
  const sheet = sheetOf(
    [
      [50, 35, 'Номер'],
      [50, 47, 'комнаты'],
      [250, 35, 'Площадь,'],
      [304, 35, 'м²'],
      [50, 65, 'Жилая'],
      [86, 65, 'зала'],
      [250, 65, '12,5'],
    ],
    [...[30, 60, 80].map((y) => level(40, 440, y)), ...[40, 240, 440].map((x) => plumb(x, 30, 80))],
  );
  const { cells } = linkTokens(sheet);
  const cellOf = (text: string) => cells[sheet.tokens.findIndex((token) => token.text === text)]!;

  it('finds the four ruled lines around a word', () => {
    const { left, top, right, bottom } = cellOf('12,5');
    expect([left, top, right, bottom].map((edge) => Math.round(edge!))).toEqual([240, 60, 440, 80]);
  });

  it('finds lines that end a few points before the corner', () => {
    const short = sheetOf(
      [[50, 35, 'слово']],
      [level(43, 197, 30), level(43, 197, 60), plumb(40, 33, 57), plumb(200, 33, 57)],
    );
    const [cell] = linkTokens(short).cells;
    expect(Object.values(cell!)).not.toContain(undefined);
  });

  it('recognizes words of one cell, including those on different lines', () => {
    expect(sameCell(cellOf('Номер'), cellOf('комнаты'))).toBe(true);
    expect(sameCell(cellOf('Жилая'), cellOf('зала'))).toBe(true);
  });

  it('distinguishes cells beside and below each other', () => {
    expect(sameCell(cellOf('зала'), cellOf('12,5'))).toBe(false);
    expect(sameCell(cellOf('комнаты'), cellOf('Жилая'))).toBe(false);
  });

  it('links a value to the first word of the cell to its left and of the cell above', () => {
    expect(related(sheet, '12,5')).toMatchObject({ 'cell left': 'Жилая', 'cell above': 'Площадь,' });
    expect(related(sheet, 'зала')).toMatchObject({ 'cell above': 'Номер' });
  });

  // In these cells the search through the word's own cell ends at its first word.
  it('links words of the leftmost and the top cell to the first word of their own cell', () => {
    expect(related(sheet, 'зала')['cell left']).toBe(related(sheet, 'зала')['left']);
    expect(related(sheet, 'комнаты')['cell above']).toBeDefined();
  });

  it('links words across the lines between cells', () => {
    expect(related(sheet, '12,5')).toMatchObject({ left: 'зала', above: 'Площадь,', head: 'Площадь,' });
  });
});

describe('linkTokens() on a dense page', () => {
  const expectLinks = (sheet: Sheet, count: number) => {
    const { neighbours, cells } = linkTokens(sheet);
    expect([neighbours.length, cells.length]).toEqual([count, count]);
    expect(neighbours.every((links) => links.length === RELATIONS.length)).toBe(true);
    expect(neighbours.flat().every((at) => Number.isInteger(at) && at >= -1 && at < count)).toBe(true);
  };

  it('links 5,000 words of a grid', () => {
    const words = Array.from({ length: 5000 }, (_, i): PlacedWord => [20 * (i % 50), 10 * Math.floor(i / 50), 'аб']);
    expectLinks(sheetOf(words), 5000);
  });

  // The time grows with the square of the words on a line.
  it('links 1,000 words of one line and 1,000 words at one place', () => {
    expectLinks(sheetOf(Array.from({ length: 1000 }, (_, i): PlacedWord => [i / 2, 40, 'а'])), 1000);
    expectLinks(sheetOf(Array.from({ length: 1000 }, (): PlacedWord => [40, 40, 'а'])), 1000);
  });
});
