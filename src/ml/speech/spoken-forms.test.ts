import { expect, test } from 'vitest';
import { createSpelling } from './spoken-forms.ts';

const words = (text: string) =>
  text.split(' ').map((word, i) => ({ text: word, start: i, end: i + 0.5, confidence: 0.9 - i / 10 }));
const segment = (text: string) => ({ start: 0, end: 9, text, words: words(text) });

test('createSpelling replaces a spoken form with its term and keeps the marks around it', () => {
  const [spelt] = createSpelling([{ term: 'nginx', spoken: ['engine x'] }])([segment('Restart (Engine X), please.')]);
  expect(spelt!.text).toBe('Restart (nginx), please.');
  expect(spelt!.words![1]).toEqual({ text: '(nginx),', start: 1, end: 2.5, confidence: expect.closeTo(0.7, 5) });
});

test('createSpelling writes the capitals of a term and leaves other words as they are', () => {
  const spell = createSpelling([{ term: 'Xypex' }, { term: 'lintel' }]);
  const segments = [segment('Lintel with xypex coat')];
  expect(spell(segments)[0]!.text).toBe('Lintel with Xypex coat');
  const others = [segment('Nothing here')];
  expect(spell(others)[0]).toBe(others[0]);
});

test('createSpelling changes segments without words', () => {
  const spell = createSpelling([{ term: 'PostgreSQL', spoken: ['post gres'] }]);
  expect(spell([{ start: 0, end: 2, text: 'We use post gres.' }])).toEqual([
    { start: 0, end: 2, text: 'We use PostgreSQL.' },
  ]);
});
