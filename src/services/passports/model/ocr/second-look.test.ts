import { expect, it } from 'vitest';
import type { LineWord } from './engine.ts';
import { agreed } from './second-look.ts';

const words = (text: string, confidence = 0.95): LineWord[] =>
  text.split(' ').map((word) => ({ text: word, left: 0, top: 0, right: 9, bottom: 9, confidence }));
const texts = (read: readonly LineWord[]) => read.map(({ text }) => text).join(' ');

it('a five that a second look takes for a three is a three that nobody is sure of', () => {
  const both = agreed(words('комната 25,5'), words('комната 23,5'));
  expect(texts(both)).toBe('комната 23,5');
  expect(both.map(({ confidence }) => confidence)).toEqual([0.95, 0.6]);
});

it('a second look changes nothing else', () => {
  expect(texts(agreed(words('комната 25,5'), words('конната 26,5')))).toBe('комната 25,5');
  expect(texts(agreed(words('5,5'), words('3,6')))).toBe('5,5');
  expect(texts(agreed(words('3,1'), words('5,1')))).toBe('3,1');
  expect(texts(agreed(words('15 17'), words('1317')))).toBe('15 17');
});
