import { expect, it } from 'vitest';
import { withoutStrayDots, withRegionKind } from './correct-address.ts';

it.each([
  ['Краснодарский, г. Ейск', 'Краснодарский край, г. Ейск'],
  ['КРАСНОДАРСКИЙ, Г. АРМАВИР', 'КРАСНОДАРСКИЙ КРАЙ, Г. АРМАВИР'],
  ['Карелия, Сегежский район', 'Республика Карелия, Сегежский район'],
])('adds the kind of the region to %s', (text, whole) => {
  expect(withRegionKind(text)).toBe(whole);
});

it.each([
  'Приморский край, г. Находка',
  'Приморский район, ул. Мира',
  'Советская, д. 5',
  'Советская, г. Орск',
  'Приморский, ул. Мира',
  'Чувашская, г. Канаш',
  'г. Тверь, Краснодарский, д. 1',
])('leaves %s', (text) => {
  expect(withRegionKind(text)).toBe(text);
});

it.each([
  ['г. Гурьевск, д. 2-Б, пом. I—IV.', 'г. Гурьевск, д. 2-Б, пом. I—IV'],
  ['Ставропольский край., с. Тахта, д. 5.', 'Ставропольский край, с. Тахта, д. 5'],
  ['Мира ул.', 'Мира ул.'],
])('removes the stray dots of %s', (text, clean) => {
  expect(withoutStrayDots(text)).toBe(clean);
});
