import { describe, expect, it } from 'vitest';
import type { ReadPage, Word } from '../../page-geometry.ts';
import { type Sheet, tokenizePages, VALUE_BOUNDARY } from '../fields/page-tokens.ts';
import { BUCKETS, describePage, GRAMS, gramsOf, NUMBERS } from './page-features.ts';
import { RELATIONS } from './page-graph.ts';

const WIDTH = 600;
const HEIGHT = 800;
type PlacedWord = readonly [x: number, y: number, text: string, width?: number, height?: number];

/** A page of words at (x, y) in points; letters are 6 pt wide and 10 pt high unless a size is given. */
function sheetOf(words: readonly PlacedWord[], confidence: number | null = null): Sheet {
  const page: ReadPage = {
    ...{
      page: 1,
      width: WIDTH,
      height: HEIGHT,
      turn: 0,
      reader: confidence === null ? 'text' : 'tesseract',
      rules: [],
    },
    words: words.map(
      ([x, y, text, width = 6 * text.length, height = 10]): Word => ({
        text,
        box: [x / WIDTH, y / HEIGHT, (x + width) / WIDTH, (y + height) / HEIGHT],
        confidence,
      }),
    ),
  };
  return tokenizePages([page], VALUE_BOUNDARY)[0]!;
}

const ODD_TEXTS = [
  '\u200b',
  '\u00ad',
  '.',
  ',',
  '—',
  '%',
  '«»',
  '()',
  '😀',
  '👩‍👩‍👧‍👦',
  '\ud800',
  'е\u0301',
  '1e308',
  '-1e-308',
  '0x1F',
  'Infinity',
  'NaN',
  '9'.repeat(400),
  `${'9'.repeat(400)},5`,
  'щ'.repeat(10_000),
  '7'.repeat(10_000),
  '😀'.repeat(5000),
  ','.repeat(10_000),
];

describe('gramsOf', () => {
  it('returns the same grams for the same word', () => {
    expect(gramsOf('площадь')).toEqual(gramsOf('площадь'));
    expect(gramsOf('площадь')).not.toEqual(gramsOf('площади'));
  });

  it('treats digits as equal, and numbers of more than four digits as numbers of four', () => {
    expect(gramsOf('45,6')).toEqual(gramsOf('78,9'));
    expect(gramsOf('12.03.1997')).toEqual(gramsOf('30.11.2008'));
    expect(gramsOf('9876543')).toEqual(gramsOf('1234'));
    expect(gramsOf('123')).not.toEqual(gramsOf('1234'));
  });

  it('ignores case, the dots of ё, and quotes and punctuation around a word', () => {
    expect(gramsOf('«Счёт»,')).toEqual(gramsOf('счет'));
    expect(gramsOf('(ПЛОЩАДЬ):')).toEqual(gramsOf('площадь'));
  });

  it('returns shared grams for words with the same stem', () => {
    const other = new Set(gramsOf('кирпичные'));
    expect(gramsOf('кирпичный').filter((gram) => other.has(gram)).length).toBeGreaterThanOrEqual(6);
  });

  it.each([3, 9, 15, 21, 27, 33])('covers a word of 38 letters at letter %i', (at) => {
    const word = 'абвгдежзийклмнопрстуфхцчшщъыьэюяабвгде';
    const changed = `${word.slice(0, at)}ъъъ${word.slice(at + 3)}`;
    // Without the hash of the whole word and of its start.
    expect(gramsOf(changed).slice(2)).not.toEqual(gramsOf(word).slice(2));
  });

  it('returns 1 to 16 grams from bucket 1 to the last for any text', () => {
    for (const text of ['', 'а', 'аб', 'площадь', 'достопримечательность', ...ODD_TEXTS]) {
      const grams = gramsOf(text);
      expect(grams.length).toBeGreaterThan(0);
      expect(grams.length).toBeLessThanOrEqual(GRAMS);
      expect(grams.every((gram) => Number.isInteger(gram) && gram > 0 && gram < BUCKETS)).toBe(true);
    }
  });
});

describe('describePage', () => {
  const expectArrays = (sheet: Sheet, words = sheet.tokens.length) => {
    const { count, grams, numbers, places, neighbours } = describePage(sheet);
    expect(count).toBe(words);
    expect([grams.length, numbers.length]).toEqual([count * GRAMS, count * NUMBERS]);
    expect([places.length, neighbours.length]).toEqual([count * 2, count * RELATIONS.length]);
    expect(grams.every((gram) => gram >= 0 && gram < BUCKETS)).toBe(true);
    expect(numbers.filter((number) => !(Math.abs(number) <= 2))).toHaveLength(0);
    expect(places.every((place) => Number.isFinite(place))).toBe(true);
    expect(neighbours.every((neighbour) => neighbour >= 0 && neighbour <= count)).toBe(true);
  };

  it('returns arrays with a row per word', () => {
    expectArrays(
      sheetOf([
        [40, 40, 'Общая'],
        [76, 40, 'площадь'],
        [130, 40, '45,6'],
      ]),
      3,
    );
    expectArrays(sheetOf([]), 0);
  });

  it('fills the rows with the grams of the words, padded with zeros', () => {
    const { grams } = describePage(
      sheetOf([
        [40, 40, 'Год'],
        [70, 40, 'постройки'],
      ]),
    );
    const [first, second] = [gramsOf('Год'), gramsOf('постройки')];
    expect([...grams.subarray(0, GRAMS)]).toEqual([...first, ...new Array(GRAMS - first.length).fill(0)]);
    expect([...grams.subarray(GRAMS)]).toEqual([...second, ...new Array(GRAMS - second.length).fill(0)]);
  });

  it('counts neighbours from 1, with 0 for none', () => {
    const { neighbours } = describePage(
      sheetOf([
        [40, 40, 'Год'],
        [70, 40, '1974'],
      ]),
    );
    const [left, right] = [RELATIONS.indexOf('left'), RELATIONS.indexOf('right')];
    expect([neighbours[left], neighbours[right]]).toEqual([0, 2]);
    expect([neighbours[RELATIONS.length + left], neighbours[RELATIONS.length + right]]).toEqual([1, 0]);
  });

  it('fills all numbers of a row: the last one marks a word that stands upright', () => {
    const { numbers } = describePage(
      sheetOf([
        [40, 40, 'площадь', 10, 42],
        [80, 40, 'площадь'],
      ]),
    );
    expect([numbers[NUMBERS - 1], numbers[2 * NUMBERS - 1]]).toEqual([1, 0]);
  });

  it('returns places in letter heights', () => {
    const { places } = describePage(sheetOf([[40, 45, 'слово']]));
    expect([...places].map((place) => Math.round(10 * place) / 10)).toEqual([5.5, 5]);
  });

  it.each(ODD_TEXTS.map((text) => [text.length > 20 ? `${text.slice(0, 4)}… (${text.length} units)` : text, text]))(
    'returns numbers from -2 to 2 for the text %j',
    (_, text) => {
      const words: PlacedWord[] = [
        [40, 40, text, 60],
        [110, 40, 'слово'],
      ];
      expectArrays(sheetOf(words));
      expectArrays(sheetOf(words, 0.9));
    },
  );

  it('returns numbers from -2 to 2 for boxes without size, outside of the page and larger than it', () => {
    const words: PlacedWord[] = [
      [40, 40, 'слово', 1e-9, 1e-9],
      [40, 40, 'слово', 1e7, 1e7],
      [-1e6, -1e6, 'слово'],
      [1e6, 1e6, 'слово'],
      [100, 100, '7'],
    ];
    expectArrays(sheetOf(words), 5);
    const sheet = sheetOf(words);
    const points = sheet.tokens.map((token) => ({ ...token, x1: token.x0, y1: token.y0 }));
    expectArrays({ ...sheet, tokens: points }, 5);
  });

  it('describes 5,000 words', () => {
    const words = Array.from({ length: 5000 }, (_, i): PlacedWord => [12 * (i % 50), 8 * Math.floor(i / 50), 'аб']);
    expectArrays(sheetOf(words), 5000);
  });
});
