import { expect, test } from 'vitest';
import { plainWords, wordErrors } from './word-errors.ts';

test('wordErrors ignores case and punctuation', () => {
  expect(wordErrors('And so, my fellow Americans: ask not', 'and so my fellow americans ask not')).toEqual({
    errors: 0,
    words: 7,
  });
});

test('wordErrors counts substitutions, deletions and insertions', () => {
  expect(wordErrors('one two three four', 'one too three four')).toEqual({ errors: 1, words: 4 });
  expect(wordErrors('one two three four', 'one three four')).toEqual({ errors: 1, words: 4 });
  expect(wordErrors('one two three four', 'one two and three four')).toEqual({ errors: 1, words: 4 });
});

test('wordErrors counts all words when one text is empty', () => {
  expect(wordErrors('шесть тысяч тенге', '')).toEqual({ errors: 3, words: 3 });
  expect(wordErrors('', 'thanks for watching')).toEqual({ errors: 3, words: 0 });
});

test('plainWords keeps apostrophes and drops symbols', () => {
  expect(plainWords('Don’t stop – it’s «ёлка» 5%!')).toEqual(["don't", 'stop', "it's", 'ёлка', '5']);
});
