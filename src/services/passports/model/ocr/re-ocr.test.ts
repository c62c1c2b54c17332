import { expect, it } from 'vitest';
import type { LineWord } from './ocr-engine.ts';
import { reconcileReadings } from './re-ocr.ts';

const words = (text: string, confidence = 0.95): LineWord[] =>
  text.split(' ').map((word) => ({ text: word, left: 0, top: 0, right: 9, bottom: 9, confidence }));
const texts = (read: readonly LineWord[]) => read.map(({ text }) => text).join(' ');

it('reconcileReadings replaces a 5 that the second reading returns as a 3 and lowers the confidence', () => {
  const reconciled = reconcileReadings(words('комната 25,5'), words('комната 23,5'));
  expect(texts(reconciled)).toBe('комната 23,5');
  expect(reconciled.map(({ confidence }) => confidence)).toEqual([0.95, 0.6]);
});

it('reconcileReadings ignores all other differences', () => {
  expect(texts(reconcileReadings(words('комната 25,5'), words('конната 26,5')))).toBe('комната 25,5');
  expect(texts(reconcileReadings(words('5,5'), words('3,6')))).toBe('5,5');
  expect(texts(reconcileReadings(words('3,1'), words('5,1')))).toBe('3,1');
  expect(texts(reconcileReadings(words('15 17'), words('1317')))).toBe('15 17');
});
