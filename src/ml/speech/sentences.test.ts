import { expect, test } from 'vitest';
import { splitSentences, splitSentencesByLength } from './sentences.ts';

const word = (text: string, start: number, end: number) => ({ text, start, end });
const texts = (segments: readonly { text: string }[]) => segments.map(({ text }) => text);

test('splitSentences splits at a full stop and takes the times of the first and last word', () => {
  const words = [word('Yes.', 0, 0.4), word('It', 2, 2.2), word('is.', 2.2, 2.5)];
  expect(splitSentences(words)).toEqual([
    { start: 0, end: 0.4, text: 'Yes.', words: words.slice(0, 1) },
    { start: 2, end: 2.5, text: 'It is.', words: words.slice(1) },
  ]);
});

test('splitSentences splits after a short word with a dot only before a pause', () => {
  expect(texts(splitSentences([word('Mr.', 0, 0.5), word('Quilter', 0.6, 1)]))).toEqual(['Mr. Quilter']);
  expect(texts(splitSentences([word('Am', 0, 0.2), word('3.', 0.2, 0.5), word('Mai', 0.5, 1)]))).toEqual(['Am 3. Mai']);
  expect(texts(splitSentences([word('Да.', 0, 0.5), word('Давай', 1.4, 2)]))).toEqual(['Да.', 'Давай']);
});

test('splitSentences splits at a long pause', () => {
  expect(texts(splitSentences([word('well', 0, 0.5), word('then', 2.5, 3)]))).toEqual(['well', 'then']);
});

test('splitSentences joins words without spaces in scripts without spaces', () => {
  expect(texts(splitSentences([word('今天', 0, 1), word('很', 1, 2), word('好。', 2, 3)]))).toEqual(['今天很好。']);
  expect(texts(splitSentences([word('iPhone', 0, 1), word('很', 1, 2)]))).toEqual(['iPhone 很']);
});

test('splitSentencesByLength assigns durations by the number of letters', () => {
  expect(splitSentencesByLength('Hello there. Goodbye now.', 20)).toEqual([
    { start: 0, end: 10, text: 'Hello there.' },
    { start: 10, end: 20, text: 'Goodbye now.' },
  ]);
  expect(splitSentencesByLength('  ', 20)).toEqual([]);
});
