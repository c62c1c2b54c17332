import { expect, it } from 'vitest';
import { normalizeText, toTextValue, withoutScribbles } from './correct-text.ts';

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
  ['Д3юба Н. Н.', 'Дзюба Н. Н.'],
  ['Wendell K. Prochnau, AAC!', 'Wendell K. Prochnau, AACI'],
  ['WwW. E. Landry', 'W. E. Landry'],
  ['Чекмарёв П.иИ.', 'Чекмарёв П.И.'],
  ['БутС. И.', 'Бут С. И.'],
  ['lona Macfadyen-Watt', 'Iona Macfadyen-Watt'],
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
  ['рулонная 3З-слойная', 'рулонная 3-слойная'],
  ['Ммензелинское БТИ', 'Мензелинское БТИ'],
  ['Ссуда, Ллойд, АА', 'Ссуда, Ллойд, АА'],
  ['БТИ - филиал', 'БТИ - филиал'],
  ['Восточно- Сибирская', 'Восточно-Сибирская'],
  ['бревенчатые. рубленые', 'бревенчатые рубленые'],
  ['оштукатур. по дранке', 'оштукатур. по дранке'],
  ['колхоз имени ХХІІ партсъезда', 'колхоз имени XXII партсъезда'],
  ['пом. ІІ', 'пом. II'],
  ['вул. І. Франко', 'вул. І. Франко'],
  ['жилой дом ‘для ИТР', 'жилой дом для ИТР'],
  ['дом ‘Заря’ на углу', 'дом ‘Заря’ на углу'],
  ['парк ‘Дубки“', 'парк ‘Дубки“'],
  ['ул. Ферсмана ‚ д. 4', 'ул. Ферсмана, д. 4'],
  ['кирпичныи, обмазан глинои', 'кирпичный, обмазан глиной'],
  ['теплоизоляцией фасада: }', 'теплоизоляцией фасада'],
  ['саидинг, пристроика', 'сайдинг, пристройка'],
  ['электроинструмент, ООО "Центроинвест"', 'электроинструмент, ООО "Центроинвест"'],
  ['труба 60х3мм', 'труба 60х3мм'],
  ['DANGER! KEEP OUT!', 'DANGER! KEEP OUT!'],
  ['артель „Новый быт», с. Оксино', 'артель „Новый быт», с. Оксино'],
  ['оштукатуренные с двух сторон.', 'оштукатуренные с двух сторон'],
  ['артель "Новый быт".', 'артель "Новый быт"'],
  ['сельсовет», с. Оксино', 'сельсовет, с. Оксино'],
  ['стеклообои и слои утеплителя', 'стеклообои и слои утеплителя'],
  ['снт «Заря-2» ‚ уч. 114', 'снт «Заря-2», уч. 114'],
])('corrects %s', (text, value) => {
  expect(toTextValue({ type: 'string' }, text, RECOGNIZED)).toBe(value);
});

it.each(['Ее состояние', 'Ss. Peter', 'Пп. 1-3', '0,8 Ккал/ч', 'Фундамент- Бетон', 'Этаж 3. Г. Тверь', 'каб. 3З'])(
  'keeps %s',
  (text) => expect(toTextValue({ type: 'string' }, text, RECOGNIZED)).toBe(text),
);

it.each([
  ['Estate of Thérèse Arsenault -Donovan', 'Estate of Thérèse Arsenault-Donovan'],
  ['Центр «Профиль» (ИП Магомедова 3. А.)', 'Центр «Профиль» (ИП Магомедова З. А.)'],
  ['Trustees of the library fund', 'Trustees of the library fund'],
  ['los Santos', 'los Santos'],
])('corrects the owner %s', (text, value) => {
  expect(toTextValue({ type: 'string', shapes: ['^[«"\\p{Lu}]'] }, text, RECOGNIZED)).toBe(value);
});

it.each([
  ['Fl', 'F1'],
  ['ба', '6а'],
  ['За', '3а'],
  ['RO7', 'R07'],
  ['$2', 'S2'],
  ['АО1', 'АО1'],
  ['O', 'O'],
])('corrects the room number %s', (text, value) => {
  expect(toTextValue({ type: 'string', numbering: true }, text, RECOGNIZED)).toBe(value);
});

it.each([
  ['r Елабуга, дом 114', 'г. Елабуга, дом 114'],
  ['r. Москва, д. 11', 'г. Москва, д. 11'],
  ['с/с, ar. Милославичи', 'с/с, аг. Милославичи'],
  ['14 r Street', '14 r Street'],
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
    'Г. Тукая',
    'С. Разина ул., д. 4',
    'С. Петербург, ул. Мира',
  ].map((text) => [text, text]),
  ['г. Тверь, наб. Степана Разина, д. 4', 'г. Тверь, наб. Степана Разина, д. 4'],
  ['ст Тарская, д. ЗА', 'ст. Тарская, д. 3А'],
  ['ж/д ст Тарская', 'ж/д ст. Тарская'],
  ['Fort Nelson, British Columbia VOC 1RO', 'Fort Nelson, British Columbia V0C 1R0'],
  ['Unit 9, BOX ONE', 'Unit 9, BOX ONE'],
  ['Сс Коноваловка, ул. Тукая', 'с. Коноваловка, ул. Тукая'],
  ['Оренбургская обл., Г Орск', 'Оренбургская обл., г. Орск'],
  ['Алтайская. обл. Кимрский. р-н, д. 22 кори. 3', 'Алтайская обл., Кимрский р-н, д. 22, корп. 3'],
  ['Краснодарский край., д. 106 «6»', 'Краснодарский край, д. 106 «б»'],
  ['212 км ПК 4 Олевский район', '212 км ПК 4, Олевский район'],
  ['пер. 2- і Стахановский, 3', 'пер. 2-й Стахановский, 3'],
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
  ['ASPHALT ON CONCRETE DECK.', 'ASPHALT ON CONCRETE DECK'],
  ['КИРП.', 'КИРП.'],
  ['ОБЛ..', 'ОБЛ.'],
  ['из железобетонных плит.', 'из железобетонных плит'],
  ['Щукин Анна Сергеевич.', 'Щукин Анна Сергеевич'],
  ['оштукатурен- ные', 'оштукатуренные'],
  ['sand- cement screed', 'sand-cement screed'],
  ['Salford Quays Homes Ltd)', 'Salford Quays Homes Ltd'],
  ['(Лебедев П. Г.', 'Лебедев П. Г.'],
  ['7714 (', '7714'],
  ['0042-B.', '0042-B'],
  ['71:01:020404:216:А.', '71:01:020404:216:А'],
  ['009318/B.', '009318/B'],
  ['кирпичные, толщ. 0,64 м.', 'кирпичные, толщ. 0,64 м'],
  ['ООО «Геодом»»', 'ООО «Геодом»'],
  ['совхоз «Канинский» (часть)', 'совхоз «Канинский» (часть)'],
])('normalizes %s', (text, value) => {
  expect(normalizeText(text)).toBe(value);
});

const sure = (text: string, confidences: number[]) =>
  text.split(' ').map((word, i) => ({ text: word, confidence: confidences[i] ?? null }));

it.each([
  ['Аи Пьянкова', [0.19, 0.96], 'Пьянкова'],
  ['ух ‘YN Ким В. —S\\', [0.18, 0.6, 0.93, 0.96, 0.4], 'Ким В.'],
  ['Петров В. Г.', [0.9, 0.9, 0.3], 'Петров В. Г.'],
  ['д 4', [0.9, 0.2], 'д 4'],
  ['Аи ух', [0.19, 0.2], 'Аи ух'],
])('leaves short words with low OCR confidence at the ends out of the name %s', (text, confidences, kept) => {
  const words = withoutScribbles({ type: 'string', shapes: PERSON }, sure(text, confidences));
  expect(words.map((word) => word.text).join(' ')).toBe(kept);
});

it('keeps words with low OCR confidence of other texts', () => {
  const words = sure('г. Тверь д. 4|', [0.4, 0.9, 0.9, 0.6]);
  expect(withoutScribbles({ type: 'string' }, words)).toEqual(words);
  expect(withoutScribbles({ type: 'string', shapes: ['^[«"\\p{Lu}]'] }, words)).toEqual(words);
});
