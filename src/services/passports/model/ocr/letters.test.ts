import { expect, it } from 'vitest';
import { russianLetters } from './letters.ts';

it('Kyrgyz letters become the Russian ones they look like, and all others stay', () => {
  expect(russianLetters('Өбщая плөщадь кухңи, Ү Ң ү')).toBe('Общая площадь кухни, У Н у');
  expect(russianLetters('Ёлка 12,5 m²')).toBe('Ёлка 12,5 m²');
});
