import { expect, it } from 'vitest';
import { withoutRepeatedWords } from './repeated-words.ts';

const wordAt = (text: string, left: number, right: number, more = {}) => ({
  ...{ text, left, right, top: 100, bottom: 120, confidence: 0.9 },
  ...more,
});

it('drops words and parts of words that were read again at the same place', () => {
  const words = [
    wordAt('21,7', 0, 40),
    wordAt('21,', 2, 30, { top: 104, bottom: 124, confidence: 0.97 }),
    wordAt('Виктор', 100, 160, { confidence: 0.5 }),
    wordAt('Виктор...', 100, 162),
    wordAt('11', 200, 220),
    wordAt('11', 222, 240),
    wordAt('11', 200, 220, { top: 114, bottom: 134 }),
    wordAt('Этаж', 300, 340),
    wordAt('2', 305, 312),
    wordAt('—', 310, 320),
    wordAt('12,5', 400, 440),
    wordAt('125', 401, 440, { confidence: 0.95 }),
    wordAt('МираЛ1', 500, 560, { confidence: 0.2 }),
    wordAt('Мира', 500, 540),
  ];
  const kept = [words[0], ...words.slice(3)];
  expect(withoutRepeatedWords(words)).toEqual(kept);
});
