import { expect, it } from 'vitest';
import { russianLetters } from './letters.ts';

it('Kyrgyz letters become the Russian ones they look like, what was № is №, and all else stays', () => {
  expect(russianLetters('Өбщая плөщадь кухңи, Ү Ң ү')).toBe('Общая площадь кухни, У Н у');
  for (const scrap of ['Ne', 'Ме', 'Мо.', 'М°']) expect(russianLetters(scrap)).toBe('№');
  expect(russianLetters('No. Метр м')).toBe('No. Метр м');
  expect(russianLetters('Ёлка 12,5 m²')).toBe('Ёлка 12,5 m²');
});
