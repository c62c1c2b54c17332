import { expect, it } from 'vitest';
import { toTextValue } from './correct-text.ts';

const PERSON = [
  '^\\p{Lu}[\\p{L}-]+\\s+\\p{Lu}\\.\\s?\\p{Lu}\\.$',
  '^\\p{Lu}\\.\\s?(\\p{Lu}\\.\\s?)?\\p{Lu}[\\p{L}-]+$',
];
const RECOGNIZED = [{ confidence: 0.9 }];

it.each([
  ['П.Т Самохин', 'П.Т. Самохин'],
  ['В Рукосуев', 'В. Рукосуев'],
  ['Мальцева Н Т', 'Мальцева Н. Т.'],
  ['Токарева 0.Ю.', 'Токарева О.Ю.'],
  ['3. Лебедева', 'З. Лебедева'],
])('corrects the initials of %s', (text, value) => {
  expect(toTextValue({ type: 'string', shapes: PERSON }, text, RECOGNIZED)).toBe(value);
});

it.each([
  ['| клетка лестничная', 'клетка лестничная'],
  ['[клетка', 'клетка'],
  ['[1] клетка', '[1] клетка'],
  ['ОО0 «Мир»', 'ООО «Мир»'],
])('corrects %s', (text, value) => {
  expect(toTextValue({ type: 'string' }, text, RECOGNIZED)).toBe(value);
});

it('reads l as 1 in room numbers', () => {
  expect(toTextValue({ type: 'string', numbering: true }, 'Fl', RECOGNIZED)).toBe('F1');
});

it('keeps text that was not recognized', () => {
  expect(toTextValue({ type: 'string', shapes: PERSON }, 'В Рукосуев', [{ confidence: null }])).toBe('В Рукосуев');
});
