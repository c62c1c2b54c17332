import { expect, it } from 'vitest';
import { toRussianLetters } from './russian-letters.ts';

it('toRussianLetters replaces letters of other alphabets and misread № signs and keeps other text', () => {
  expect(toRussianLetters('Өбщая плөщадь кухңи, Ү Ң ү')).toBe('Общая площадь кухни, У Н у');
  expect(toRussianLetters('вӧсьмилетка, вєранды')).toBe('восьмилетка, веранды');
  for (const misread of ['Ne', 'Ме', 'Мо.', 'М°']) expect(toRussianLetters(misread)).toBe('№');
  expect(toRussianLetters('No. Метр м')).toBe('No. Метр м');
  expect(toRussianLetters('Ёлка 12,5 m²')).toBe('Ёлка 12,5 m²');
});

it('toRussianLetters writes Roman numbers with an І in Latin letters', () => {
  const roman = ['І', 'УІ.', 'ІУ', '17/ІХ-64', '30.ІІІ.1973', 'ХІ', 'І–ІІІ'].map(toRussianLetters);
  expect(roman).toEqual(['I', 'VI.', 'IV', '17/IX-64', '30.III.1973', 'XI', 'I–III']);
  const others = ['Х', 'У.', 'Іргетасы', 'Мінск', 'ІА', 'ІУХ'];
  expect(others.map(toRussianLetters)).toEqual(others);
});
