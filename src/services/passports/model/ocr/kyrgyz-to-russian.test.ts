import { expect, it } from 'vitest';
import { toRussianLetters } from './kyrgyz-to-russian.ts';

it('toRussianLetters replaces Kyrgyz letters and misread № signs and keeps other text', () => {
  expect(toRussianLetters('Өбщая плөщадь кухңи, Ү Ң ү')).toBe('Общая площадь кухни, У Н у');
  for (const misread of ['Ne', 'Ме', 'Мо.', 'М°']) expect(toRussianLetters(misread)).toBe('№');
  expect(toRussianLetters('No. Метр м')).toBe('No. Метр м');
  expect(toRussianLetters('Ёлка 12,5 m²')).toBe('Ёлка 12,5 m²');
});
