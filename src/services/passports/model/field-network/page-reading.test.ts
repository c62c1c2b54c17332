import { describe, expect, it } from 'vitest';
import type { ReadPage, Rule } from '../../page-geometry.ts';
import { type Sheet, tokenizePages, VALUE_BOUNDARY } from '../fields/page-tokens.ts';
import { CLASSES } from './classes.ts';
import { describePage, type PageFeatures } from './page-features.ts';
import { RELATIONS } from './page-graph.ts';
import { combineParts, describeParts, type PartOutput } from './page-reading.ts';

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
/** Lines of 20 words, in a shuffled order as in some PDF files. */
const grid = (count: number): PlacedWord[] =>
  Array.from({ length: count }, (_, i) => (i * 7) % count).map((i) => [50 * (i % 20), 9 * Math.floor(i / 20), 'слово']);

const keyOf = (places: Float32Array, at: number) => `${places[2 * at]},${places[2 * at + 1]}`;
/** The indices of the tokens of a part on the page. */
function membersOf({ count, places }: PageFeatures, sheet: Sheet): number[] {
  const whole = describePage(sheet);
  const indices = new Map(Array.from({ length: whole.count }, (_, i) => [keyOf(whole.places, i), i]));
  return Array.from({ length: count }, (_, at) => indices.get(keyOf(places, at))!);
}

/** The output for a part of which each token has the class `name`. */
function uniform({ count }: PageFeatures, name: (typeof CLASSES)[number], affinity: number): PartOutput {
  const probabilities = new Float32Array(count * CLASSES.length);
  for (let at = 0; at < count; at++) probabilities[at * CLASSES.length + CLASSES.indexOf(name)] = 0.875;
  return { probabilities, pairs: new Float32Array(count * count).fill(affinity) };
}

describe('describeParts', () => {
  it('returns no part for an empty page and one for a small page', () => {
    expect(describeParts(sheetOf([]))).toEqual([]);
    const small = sheetOf(grid(7));
    expect(describeParts(small)).toEqual([describePage(small)]);
  });

  it('splits a page of 2,000 words into overlapping parts that contain all words', () => {
    const sheet = sheetOf(grid(2000));
    const parts = describeParts(sheet);
    const members = parts.map((part) => membersOf(part, sheet));
    expect(parts.length).toBeGreaterThan(1);
    expect(Math.max(...parts.map(({ count }) => count))).toBeLessThan(1000);
    expect(new Set(members.flat()).size).toBe(2000);
    for (const [p, part] of members.slice(1).entries()) {
      expect(part.filter((i) => members[p]!.includes(i)).length).toBeGreaterThan(20);
    }
  });

  it('copies the rows of the words of each part', () => {
    const sheet = sheetOf(grid(1000).map(([x, y], i) => [x, y, `с${String.fromCodePoint(0x430 + (i % 32))}`]));
    const whole = describePage(sheet);
    for (const part of describeParts(sheet)) {
      const rowsOf = ({ count, grams, numbers }: PageFeatures, i: number) =>
        [grams, numbers].map((all) => [...all.subarray((i * all.length) / count, ((i + 1) * all.length) / count)]);
      for (const [at, i] of membersOf(part, sheet).entries()) expect(rowsOf(part, at)).toEqual(rowsOf(whole, i));
    }
  });

  it('numbers neighbours within the part; neighbours in other parts are 0', () => {
    const sheet = sheetOf(grid(1000));
    const whole = describePage(sheet);
    for (const part of describeParts(sheet)) {
      const members = membersOf(part, sheet);
      const expected = members.flatMap((i) =>
        RELATIONS.map((_, r) => members.indexOf(whole.neighbours[i * RELATIONS.length + r]! - 1) + 1),
      );
      expect([...part.neighbours]).toEqual(expected);
      expect(part.neighbours.some((neighbour) => neighbour > 0)).toBe(true);
    }
  });
});

describe('combineParts', () => {
  it('returns the probabilities and the likeliest class of a token', () => {
    const sheet = sheetOf(grid(2));
    const output = uniform(describeParts(sheet)[0]!, 'none', 1);
    output.probabilities.set([0.25], CLASSES.length);
    output.probabilities.set([0.75], CLASSES.length + CLASSES.indexOf('rooms:area'));
    const reading = combineParts(sheet, [output]);
    expect([reading.likeliest(0), reading.likeliest(1)]).toEqual(['none', 'rooms:area']);
    expect(reading.probabilityOf(1, 'rooms:area')).toBe(0.75);
    expect(reading.probabilityOf(1, 'rooms:name')).toBe(0);
    expect(reading.probabilityOf(1, 'not a class')).toBe(0);
  });

  it('returns the mean affinity of both directions', () => {
    const sheet = sheetOf(grid(2));
    const output = { ...uniform(describeParts(sheet)[0]!, 'none', 0), pairs: Float32Array.of(9, 3, -1, 9) };
    const { affinity } = combineParts(sheet, [output]);
    expect([affinity(0, 1), affinity(1, 0)]).toEqual([1, 1]);
  });

  it('combines no outputs for an empty page', () => {
    expect(combineParts(sheetOf([]), []).tokens).toEqual([]);
  });

  describe('for a page of 2,000 words', () => {
    const sheet = sheetOf(grid(2000));
    const parts = describeParts(sheet);
    const members = parts.map((part) => membersOf(part, sheet));
    const reading = combineParts(
      sheet,
      parts.map((part, p) => uniform(part, CLASSES[p + 1]!, 3)),
    );

    it('takes the probabilities of a token from the part in which it is more central', () => {
      const central = sheet.tokens.map((_, i) => {
        const margins = members.map((part) => {
          const at = part.indexOf(i);
          return at < 0 ? -1 : Math.min(at, part.length - 1 - at);
        });
        // The top of the first part and the bottom of the last one are not cut.
        return margins.filter((margin) => margin >= 0).length === 1
          ? margins.findIndex((margin) => margin >= 0)
          : margins.indexOf(Math.max(...margins));
      });
      const names = central.map((p) => CLASSES[p + 1]!);
      expect(sheet.tokens.map((_, i) => reading.likeliest(i))).toEqual(names);
      expect(names.every((name, i) => reading.probabilityOf(i, name) === 0.875)).toBe(true);
    });

    it('returns a negative affinity between tokens that share no part', () => {
      const [first, last] = [members[0]![0]!, members.at(-1)!.at(-1)!];
      expect(reading.affinity(first, last)).toBeLessThan(0);
      expect(reading.affinity(last, first)).toBeLessThan(0);
    });

    it('returns the affinity of tokens that share a part', () => {
      expect(reading.affinity(members[0]![0]!, members[0]!.at(-1)!)).toBe(3);
      expect(reading.affinity(members.at(-1)![0]!, members.at(-1)!.at(-1)!)).toBe(3);
    });
  });

  it('reports tokens in different ruled cells as apart, and no others', () => {
    const rules: Rule[] = [0.03, 0.06].map((y) => [0.04, y, 0.44, y]);
    for (const x of [0.04, 0.24, 0.44]) rules.push([x, 0.03, x, 0.06]);
    const sheet = sheetOf(
      [
        [50, 40, 'первая'],
        [92, 40, 'ячейка'],
        [250, 40, 'вторая'],
        [50, 100, 'вне'],
        [250, 100, 'таблицы'],
      ],
      rules,
    );
    const { areApart } = combineParts(sheet, [uniform(describeParts(sheet)[0]!, 'none', 1)]);
    expect(areApart(1, 2)).toBe(true);
    expect(areApart(0, 1)).toBe(false);
    expect(areApart(2, 4)).toBe(false);
    expect(areApart(3, 4)).toBe(false);
  });
});
