import { expect, it } from 'vitest';
import { createRandom } from '../../../../base/random.ts';
import { nextLineIndex, overlapIndex } from './line-index.ts';
import { middleY } from './page-tokens.ts';

const random = createRandom(3);
/** Words of 40 lines; each twentieth word is as high as many of them. */
const words = Array.from({ length: 1000 }, (_, i) => {
  const [x0, y0] = [500 * random(), 20 * Math.floor(40 * random())];
  return { x0, y0, x1: x0 + 30, y1: y0 + (i % 20 === 0 ? 300 * random() : 8 + 4 * random()) };
});

it('finds all words that overlap a range', () => {
  for (const { y0, y1 } of words) {
    const overlapping = words.flatMap((word, i) => (word.y0 < y1 && word.y1 > y0 ? [i] : []));
    expect(overlapIndex(words)(y0, y1)).toEqual(expect.arrayContaining(overlapping));
  }
});

it('finds all words up to two of their heights from a range', () => {
  for (const { y0, y1 } of words) {
    const near = words.flatMap((word, i) => {
      const distance = Math.max(y0 - middleY(word), middleY(word) - y1);
      return distance < 2 * (word.y1 - word.y0) ? [i] : [];
    });
    expect(nextLineIndex(words)(y0, y1)).toEqual(expect.arrayContaining(near));
  }
});

it('returns the words of a few lines in their order', () => {
  const lines = words.filter(({ y0, y1 }) => y1 - y0 < 12);
  const found = overlapIndex(lines)(400, 410);
  expect(found.length).toBeGreaterThan(0);
  expect(found.length).toBeLessThan(lines.length / 8);
  expect(found).toEqual([...found].sort((a, b) => a - b));
});

it('finds nothing among no words, and all of words without height', () => {
  expect(overlapIndex([])(0, 10)).toEqual([]);
  const flat = [1, 2].map((x) => ({ x0: x, y0: 5, x1: x + 1, y1: 5 }));
  expect(overlapIndex(flat)(0, 10)).toEqual([0, 1]);
});
