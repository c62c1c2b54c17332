import fc from 'fast-check';
import { expect, test } from 'vitest';
import { alignWords, countWordErrors } from './word-errors.ts';

test('countWordErrors ignores case, punctuation and the spelling of numbers', () => {
  expect(countWordErrors('And so, my two Americans: ask not', 'and so my 2 americans ask not')).toEqual({
    errors: 0,
    words: 7,
  });
});

test('countWordErrors counts replaced, missing and added words', () => {
  expect(countWordErrors('red blue green black', 'red glue green black')).toEqual({ errors: 1, words: 4 });
  expect(countWordErrors('red blue green black', 'red green black')).toEqual({ errors: 1, words: 4 });
  expect(countWordErrors('red blue green black', 'red blue and green black')).toEqual({ errors: 1, words: 4 });
});

test('countWordErrors counts all words when one text is empty', () => {
  expect(countWordErrors('сколько это стоит', '')).toEqual({ errors: 3, words: 3 });
  expect(countWordErrors('', 'thanks for watching')).toEqual({ errors: 3, words: 0 });
});

test('alignWords names the position of each error', () => {
  expect(alignWords(['a', 'b', 'c', 'd'], ['a', 'x', 'c', 'y'])).toEqual([
    { kind: 'same', at: 0 },
    { kind: 'replaced', at: 1 },
    { kind: 'same', at: 2 },
    { kind: 'replaced', at: 3 },
  ]);
  expect(alignWords(['a'], ['x', 'a', 'y'])).toEqual([
    { kind: 'added', at: 0 },
    { kind: 'same', at: 0 },
    { kind: 'added', at: 1 },
  ]);
});

test('alignWords has as few errors as the Levenshtein distance', () => {
  const words = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 12 });
  fc.assert(
    fc.property(words, words, (reference, hypothesis) => {
      const steps = alignWords(reference, hypothesis);
      expect(steps.filter(({ kind }) => kind !== 'added').map(({ at }) => at)).toEqual([...reference.keys()]);
      expect(steps.filter(({ kind }) => kind !== 'missing')).toHaveLength(hypothesis.length);
      const errors = steps.filter(({ kind }) => kind !== 'same').length;
      expect(errors).toBe(distance(reference, hypothesis));
    }),
  );
});

/** By its definition. */
function distance(a: readonly string[], b: readonly string[]): number {
  const known = new Map<string, number>();
  const from = (i: number, j: number): number => {
    if (i === a.length || j === b.length) return a.length - i + b.length - j;
    const key = `${i} ${j}`;
    const least =
      known.get(key) ?? Math.min(from(i + 1, j) + 1, from(i, j + 1) + 1, from(i + 1, j + 1) + (a[i] === b[j] ? 0 : 1));
    known.set(key, least);
    return least;
  };
  return from(0, 0);
}
