import { expect, it } from 'vitest';
import { normalizeText, toTextValue } from './correct-text.ts';

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
  ['Новосёлов Ю. м.', 'Новосёлов Ю. М.'],
  ['3. Лебедева', 'З. Лебедева'],
  ['Хх. Валитов', 'Х. Валитов'],
  ['Cc. Rousseau', 'C. Rousseau'],
])('corrects the initials of %s', (text, value) => {
  expect(toTextValue({ type: 'string', shapes: PERSON }, text, RECOGNIZED)).toBe(value);
});

it.each([
  ['| клетка лестничная', 'клетка лестничная'],
  ['[клетка', 'клетка'],
  ['[1] клетка', '[1] клетка'],
  ['ОО0 «Мир»', 'ООО «Мир»'],
  ['„железная', 'железная'],
  ['кирпичные ‚ расшивка швов', 'кирпичные, расшивка швов'],
  ['Concrete. piles', 'Concrete piles'],
  ['бревенчатые. рубленые', 'бревенчатые рубленые'],
  ['оштукатур. по дранке', 'оштукатур. по дранке'],
  ['колхоз имени ХХІІ партсъезда', 'колхоз имени XXII партсъезда'],
  ['пом. ІІ', 'пом. II'],
  ['жилой дом ‘для ИТР', 'жилой дом для ИТР'],
  ['дом ‘Заря’ на углу', 'дом ‘Заря’ на углу'],
  ['ул. Ферсмана ‚ д. 4', 'ул. Ферсмана, д. 4'],
])('corrects %s', (text, value) => {
  expect(toTextValue({ type: 'string' }, text, RECOGNIZED)).toBe(value);
});

it.each([
  ['Fl', 'F1'],
  ['ба', '6а'],
  ['За', '3а'],
])('corrects the room number %s', (text, value) => {
  expect(toTextValue({ type: 'string', numbering: true }, text, RECOGNIZED)).toBe(value);
});

it.each([
  ['Самарская обл. г Сызрань, ул Мира, д. 21 КВ 48', 'Самарская обл., г. Сызрань, ул. Мира, д. 21, КВ. 48'],
  [
    'Приморский край, городской округ г. Партизанск ул. Булгарова д. 9 пом. 2',
    'Приморский край, городской округ, г. Партизанск, ул. Булгарова, д. 9, пом. 2',
  ],
  ...[
    'ул. Г. Тукая, д. 5',
    'Тверская ул. 10',
    'Ленинский пр. 12',
    '2-й пер. Тружеников',
    'Большой пр. П.С.',
    'ул. Мира и ул. Ленина',
    'дом в с. Ивановка',
  ].map((text) => [text, text]),
  ['г. Тверь, наб. Степана Разина, д. 4', 'г. Тверь, наб. Степана Разина, д. 4'],
])('writes the dots and commas of the address %s', (text, value) => {
  expect(toTextValue({ type: 'string', parts: [] }, text, RECOGNIZED)).toBe(value);
});

it.each([
  ['Жилой дом Жилой дом', 'Жилой дом'],
  ['ул. Мира, д. 3, кв. 148 148', 'ул. Мира, д. 3, кв. 148'],
  ['12 12', '12 12'],
])('reads %s once', (text, value) => {
  expect(toTextValue({ type: 'string' }, text, [{ confidence: null }])).toBe(value);
});

it.each([
  ['Производственно- технический отдел', 'Производственно-технический отдел'],
  ['одно- квартирный', 'одноквартирный'],
  ['железобетон- ные', 'железобетонные'],
])('joins %s at the end of a line', (text, value) => {
  expect(toTextValue({ type: 'string' }, text, [{ confidence: null }])).toBe(value);
});

it('keeps text that was not recognized', () => {
  expect(toTextValue({ type: 'string', shapes: PERSON }, 'В Рукосуев', [{ confidence: null }])).toBe('В Рукосуев');
});

it.each([
  ['дерев. отеплен.', 'дерев. отеплен.'],
  ['рулонную по бетону.', 'рулонную по бетону'],
  ['из железобетонных плит.', 'из железобетонных плит'],
  ['Щукин Анна Сергеевич.', 'Щукин Анна Сергеевич'],
  ['оштукатурен- ные', 'оштукатуренные'],
  ['sand- cement screed', 'sand-cement screed'],
  ['Salford Quays Homes Ltd)', 'Salford Quays Homes Ltd'],
  ['(Лебедев П. Г.', 'Лебедев П. Г.'],
  ['7714 (', '7714'],
  ['0042-B.', '0042-B'],
  ['71:01:020404:216:А.', '71:01:020404:216:А'],
  ['ООО «Геодом»»', 'ООО «Геодом»'],
  ['совхоз «Канинский» (часть)', 'совхоз «Канинский» (часть)'],
])('normalizes %s', (text, value) => {
  expect(normalizeText(text)).toBe(value);
});
