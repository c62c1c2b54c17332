import { expect, it } from 'vitest';
import { russianLetters } from './letters.ts';

it('toRussianLetters replaces Kyrgyz letters and misread № signs and keeps other text', () => {
  expect(russianLetters('Өбщая плөщадь кухңи, Ү Ң ү')).toBe('Общая площадь кухни, У Н у');
  for (const misread of ['Ne', 'Ме', 'Мо.', 'М°']) expect(russianLetters(misread)).toBe('№');
  expect(russianLetters('No. Метр м')).toBe('No. Метр м');
  expect(russianLetters('Ёлка 12,5 m²')).toBe('Ёлка 12,5 m²');
});
