import { expect, test } from 'vitest';
import { plainWords, wordErrors } from './word-errors.ts';

test('the same words are no error, however they are written', () => {
  expect(wordErrors('And so, my fellow Americans: ask not', 'and so my fellow americans ask not')).toEqual({
    errors: 0,
    words: 7,
  });
});

test('a wrong word, a missing word and a word too many are an error each', () => {
  expect(wordErrors('one two three four', 'one too three four')).toEqual({ errors: 1, words: 4 });
  expect(wordErrors('one two three four', 'one three four')).toEqual({ errors: 1, words: 4 });
  expect(wordErrors('one two three four', 'one two and three four')).toEqual({ errors: 1, words: 4 });
});

test('nothing heard is as many errors as words were said, and what nobody said as many as were heard', () => {
  expect(wordErrors('шесть тысяч тенге', '')).toEqual({ errors: 3, words: 3 });
  expect(wordErrors('', 'thanks for watching')).toEqual({ errors: 3, words: 0 });
});

test('an apostrophe belongs to its word, and signs alone are no word', () => {
  expect(plainWords('Don’t stop – it’s «ёлка» 5%!')).toEqual(["don't", 'stop', "it's", 'ёлка', '5']);
});
