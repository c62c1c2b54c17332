import { describe, expect, it } from 'vitest';
import type { ReadPage, Rule } from '../../page-geometry.ts';
import { everyField } from '../../schema/keys.ts';
import { loadSchema } from '../../schema/load-schema.ts';
import type { FieldSpec } from '../../schema/schema.ts';
import { tokenizePages, VALUE_BOUNDARY } from '../fields/page-tokens.ts';
import { linkTokens, sameCell } from './page-graph.ts';
import type { PageReading } from './page-reading.ts';
import { readParts } from './read-parts.ts';
import { best, readField, readingsOf } from './read-values.ts';

const SIZE = 1000;
/** Text at (x, y) in points and what the network takes its words for, with a probability (0.9) and a group (1). */
interface Labelled {
  readonly at: readonly [x: number, y: number];
  readonly text: string;
  readonly name?: string;
  readonly probability?: number;
  readonly group?: number;
}

/** A page as the network reads it; letters are 6 pt wide and 10 pt high. */
function readingOf(
  lines: readonly Labelled[],
  { rules = [], confidence = null }: { rules?: readonly Rule[]; confidence?: number | null } = {},
): PageReading {
  const words = lines.flatMap((line) =>
    [...line.text.matchAll(/\S+/gu)].map(({ 0: text, index }) => ({ ...line, text, x: line.at[0] + 6 * index })),
  );
  const page: ReadPage = {
    ...{ page: 1, width: SIZE, height: SIZE, turn: 0, reader: confidence === null ? 'text' : 'tesseract', rules },
    words: words.map(({ text, x, at: [, y] }) => ({
      text,
      box: [x / SIZE, y / SIZE, (x + 6 * text.length) / SIZE, (y + 10) / SIZE],
      confidence,
    })),
  };
  const [sheet] = tokenizePages([page], VALUE_BOUNDARY);
  const { tokens } = sheet!;
  const { cells } = linkTokens(sheet!);
  const wordOf = (i: number) => words[tokens[i]!.word]!;
  const shareOf = (i: number) => wordOf(i).probability ?? 0.9;
  return {
    tokens,
    probabilityOf: (i, name) => (wordOf(i).name === name ? shareOf(i) : 0),
    likeliest: (i) => (shareOf(i) > 0.5 ? (wordOf(i).name ?? 'none') : 'none'),
    affinity: (a, b) => ((wordOf(a).group ?? 1) === (wordOf(b).group ?? 1) ? 5 : -5),
    areApart: (a, b) => cells[a]!.left !== undefined && !sameCell(cells[a]!, cells[b]!),
  };
}

const schema = loadSchema();
const specOf = (key: string): FieldSpec => [...everyField(schema)].find((field) => field.key === key)!.spec;
const valueAt = (key: string, reading: PageReading) => readField(reading, key, specOf(key))?.value;
/** Ruled cells from left to right between the x positions `edges`. */
const ruledRow = (edges: readonly number[], y0: number, y1: number): Rule[] => [
  ...[y0, y1].map((y): Rule => [edges[0]! / SIZE, y / SIZE, edges.at(-1)! / SIZE, y / SIZE]),
  ...edges.map((x): Rule => [x / SIZE, y0 / SIZE, x / SIZE, y1 / SIZE]),
];

describe('readField', () => {
  it('returns the value, its tokens and the mean probability', () => {
    const reading = readingOf([
      { at: [40, 40], text: 'Год постройки:' },
      { at: [140, 40], text: '1974', name: 'general:year_built', probability: 0.8 },
    ]);
    const found = readField(reading, 'general:year_built', specOf('general:year_built'))!;
    expect(found).toMatchObject({ value: 1974, score: 0.8 });
    expect(found.tokens.map(({ text }) => text)).toEqual(['1974']);
  });

  it('adds the thousands that the network left out, but not those of another cell', () => {
    const area = { at: [58, 40], text: '842,6', name: 'areas:total_area' } as const;
    const thousands = { at: [49, 40], text: '3' } as const;
    const rules = ruledRow([40, 56.5, 120], 38, 52);
    expect(valueAt('areas:total_area', readingOf([thousands, area]))).toBe(3842.6);
    expect(valueAt('areas:total_area', readingOf([thousands, area], { rules }))).toBe(842.6);
    expect(valueAt('areas:total_area', readingOf([{ ...thousands, at: [45.5, 40] }, area]))).toBe(3842.6);
    expect(valueAt('areas:total_area', readingOf([{ ...thousands, at: [44, 40] }, area]))).toBe(842.6);
    const next = { at: [49, 60], text: '4' } as const;
    expect(valueAt('areas:total_area', readingOf([thousands, area, next]))).toBe(842.6);
  });

  it('adds millions before a space as wide as the next one of the number', () => {
    const name = 'general:inventory_value';
    const wide = [
      { at: [60, 40], text: '638', name },
      { at: [88, 40], text: '875', name },
    ] as const;
    const amountAt = (x: number) => valueAt(name, readingOf([{ at: [x, 40], text: '2' }, ...wide]));
    expect(amountAt(45)).toBe(2_638_875);
    expect(amountAt(20)).toBe(638_875);
    const floors = { at: [45, 40], text: '2', name: 'general:floors' } as const;
    expect(valueAt(name, readingOf([floors, ...wide]))).toBe(638_875);
  });

  it('adds the digits after thousands that the network left out, but not those of another value', () => {
    const name = 'general:inventory_value';
    const thousands = { at: [40, 40], text: '23', name } as const;
    const amountAt = (x: number, more = {}) =>
      valueAt(name, readingOf([thousands, { at: [x, 40], text: '290', ...more }]));
    expect(amountAt(60)).toBe(23_290);
    expect(amountAt(90)).toBe(23);
    const millions = [thousands, { at: [60, 40], text: '290' }, { at: [86, 40], text: '000,50' }] as const;
    expect(valueAt(name, readingOf([...millions]))).toBe(23_290_000.5);
    expect(amountAt(60, { name: 'general:inventory_number' })).toBe(23);
  });

  it('leaves out the full stop of a sentence, and keeps the dot of an abbreviation', () => {
    const name = 'general:purpose';
    const purpose = (text: string, next: string) =>
      valueAt(
        name,
        readingOf([
          { at: [40, 40], text, name },
          { at: [40 + 6 * text.length + 4, 40], text: next },
        ]),
      );
    expect(purpose('сельский клуб.', 'Возведено в 1938 году')).toBe('сельский клуб');
    expect(purpose('здание кирпич.', 'с пристройкой')).toBe('здание кирпич');
    expect(purpose('стены дерев.', 'на цоколе')).toBe('стены дерев.');
    expect(purpose('баня дер.', 'Возведено')).toBe('баня дер.');
  });

  it('leaves out the code of an option before its text', () => {
    const textOf = (text: string, name: string) => valueAt(name, readingOf([{ at: [40, 40], text, name }]));
    expect(textOf('02 БЕТОННЫЙ ЛЕНТОЧНЫЙ', 'construction:foundation')).toBe('БЕТОННЫЙ ЛЕНТОЧНЫЙ');
    expect(textOf('2 слоя рубероида', 'construction:roof')).toBe('2 слоя рубероида');
    expect(textOf('05 А', 'general:inventory_number')).toBe('05 А');
  });

  it('reads the thousands before a number that begins with a zero, at the distance of narrow digits', () => {
    const name = 'areas:total_area';
    const area = (text: string) =>
      readingOf([
        { at: [41, 40], text: '1' },
        { at: [55, 40], text, name },
      ]);
    expect(valueAt(name, area('051,3'))).toBe(1051.3);
    expect(valueAt(name, area('151,3'))).toBe(151.3);
  });

  it('reads an area that is split behind its decimal comma, of which the network doubts a part', () => {
    const name = 'areas:total_area';
    const area = (probability: number, x = 64) =>
      readingOf([
        { at: [40, 40], text: '15,', name, probability },
        { at: [x, 40], text: '96', name },
      ]);
    expect(valueAt(name, area(0.3))).toBe(15.96);
    expect(valueAt(name, area(0.05))).toBe(96);
    expect(valueAt(name, area(0.3, 80))).toBe(96);
    const two = readingOf([
      { at: [40, 40], text: '15,', name },
      { at: [64, 40], text: '96', name },
    ]);
    expect(readingsOf({ ...two, affinity: () => -5 }, name, specOf(name)).map(({ value }) => value)).toEqual([15, 96]);
  });

  it('leaves out the label of the field before a number', () => {
    const name = 'general:inventory_number';
    expect(valueAt(name, readingOf([{ at: [40, 40], text: '(инвентарное дело № 7716/Б)', name }]))).toBe('7716/Б');
    expect(valueAt(name, readingOf([{ at: [40, 40], text: 'Инв. № 1882', name }]))).toBe('1882');
    expect(valueAt(name, readingOf([{ at: [40, 40], text: 'М-5512', name }]))).toBe('М-5512');
    const partitions = { at: [40, 40], text: 'Перегородки 2 кирпича', name: 'construction:partitions' } as const;
    expect(valueAt('construction:partitions', readingOf([partitions]))).toBe('Перегородки 2 кирпича');
  });

  it('converts a number from the unit in the words before it', () => {
    const area = [{ at: [200, 40], text: '0,5', name: 'areas:total_area' }] as const;
    expect(valueAt('areas:total_area', readingOf([{ at: [40, 40], text: 'Площадь, га' }, ...area]))).toBe(5000);
    expect(valueAt('areas:total_area', readingOf([{ at: [40, 40], text: 'Площадь, кв. м' }, ...area]))).toBe(0.5);
    const height = [{ at: [200, 40], text: '250', name: 'areas:ceiling_height' }] as const;
    expect(valueAt('areas:ceiling_height', readingOf([{ at: [40, 40], text: 'Высота, см' }, ...height]))).toBe(2.5);
  });

  // All words before the value on its line count as its label.
  it('does not convert a number from the unit of another value on its line', () => {
    const reading = readingOf([
      { at: [40, 40], text: 'Участок, га 0,12' },
      { at: [200, 40], text: 'Площадь' },
      { at: [260, 40], text: '45,6', name: 'areas:total_area' },
    ]);
    expect(valueAt('areas:total_area', reading)).toBe(45.6);
  });

  it('ignores units in other lines', () => {
    const reading = readingOf([
      { at: [40, 20], text: 'Участок, га' },
      { at: [40, 40], text: 'Площадь' },
      { at: [200, 40], text: '45,6', name: 'areas:total_area' },
    ]);
    expect(valueAt('areas:total_area', reading)).toBe(45.6);
  });

  it('joins a value of two lines', () => {
    const name = 'general:address';
    const reading = readingOf([
      { at: [40, 40], text: 'Адрес:' },
      { at: [100, 40], text: 'Пермский край, г. Пермь,', name },
      { at: [100, 55], text: 'ул. Мира, д. 5', name },
    ]);
    expect(valueAt(name, reading)).toBe('Пермский край, г. Пермь, ул. Мира, д. 5');
  });

  it('joins a word that is hyphenated at the end of a line', () => {
    const name = 'general:issuer';
    const reading = readingOf([
      { at: [40, 40], text: 'Бюро технической инвента-', name },
      { at: [40, 55], text: 'ризации', name },
    ]);
    expect(valueAt(name, reading)).toBe('Бюро технической инвентаризации');
  });

  it('does not continue a value in the next ruled cell', () => {
    const name = 'general:inventory_number';
    const reading = readingOf(
      [
        { at: [50, 40], text: '12645', name },
        { at: [250, 40], text: '77-01', name, probability: 0.6 },
      ],
      { rules: ruledRow([40, 240, 440], 30, 60) },
    );
    expect(valueAt(name, reading)).toBe('12645');
  });

  it('joins the words of one ruled cell', () => {
    const name = 'construction:wall_material';
    const reading = readingOf(
      [
        { at: [50, 33], text: 'кирпичные,', name },
        { at: [50, 46], text: 'оштукатуренные', name },
      ],
      { rules: ruledRow([40, 240, 440], 30, 60) },
    );
    expect(valueAt(name, reading)).toBe('кирпичные, оштукатуренные');
  });

  it('joins characters that stand in ruled cells of their own', () => {
    const name = 'general:inventory_number';
    const characters = [...'52103'].map((text, i): Labelled => ({ at: [46 + 20 * i, 40], text, name }));
    const reading = readingOf(characters, { rules: ruledRow([40, 60, 80, 100, 120, 140], 30, 60) });
    expect(valueAt(name, reading)).toBe('52103');
  });

  it('reads a date in ruled cells of one digit, and one whose year stands in a doubtful blank', () => {
    const name = 'general:issue_date';
    const digits = [...'20.05.2005'].map((text, i) => ({
      ...{ at: [47 + 20 * i, 42], text },
      ...(text !== '.' && { name }),
    })) as Labelled[];
    const rules = ruledRow(
      [...Array(11).keys()].map((i) => 40 + 20 * i),
      40,
      54,
    );
    expect(valueAt(name, readingOf(digits, { rules }))).toBe('2005-05-20');
    const blanks = readingOf([
      { at: [40, 40], text: '14 марта', name },
      { at: [160, 40], text: '19', name, probability: 0.05 },
      { at: [190, 40], text: '74', name, probability: 0.05 },
      { at: [220, 40], text: 'г.' },
    ]);
    expect(valueAt(name, blanks)).toBe('1974-03-14');
  });

  it('reads each of two dates that the network takes for one value', () => {
    const reading = readingOf([
      { at: [40, 40], text: '18.09.2007', name: 'general:issue_date' },
      { at: [300, 40], text: '05.10.2007', name: 'general:issue_date' },
    ]);
    const found = readingsOf(reading, 'general:issue_date', specOf('general:issue_date'));
    expect(found.map(({ value }) => value)).toEqual(['2007-09-18', '2007-10-05']);
  });

  it('keeps the groups of the network apart and prefers the more probable one', () => {
    const name = 'general:owner';
    const reading = readingOf([
      { at: [40, 40], text: 'Иванов Иван', name, probability: 0.6, group: 1 },
      { at: [40, 80], text: 'Петров Пётр', name, probability: 0.9, group: 2 },
    ]);
    expect(valueAt(name, reading)).toBe('Петров Пётр');
  });

  it('adds a doubtful word between two probable words of a line', () => {
    const name = 'general:address';
    const reading = readingOf([
      { at: [40, 40], text: 'ул. Мира,', name },
      { at: [100, 40], text: 'дом', name, probability: 0.2 },
      { at: [124, 40], text: '5', name },
    ]);
    expect(valueAt(name, reading)).toBe('ул. Мира, дом 5');
  });

  it('does not continue a text behind words of another one', () => {
    const reading = readingOf([
      { at: [40, 40], text: 'жилое', name: 'general:purpose' },
      { at: [76, 40], text: 'Фактически' },
      { at: [142, 40], text: 'магазин', name: 'general:purpose', probability: 0.6 },
    ]);
    expect(valueAt('general:purpose', reading)).toBe('жилое');
    const below = readingOf([
      { at: [40, 40], text: 'дошкольное образование', name: 'general:purpose' },
      { at: [40, 60], text: 'Собственник: район' },
      { at: [40, 80], text: 'детский сад', name: 'general:purpose', probability: 0.6 },
    ]);
    expect(valueAt('general:purpose', below)).toBe('дошкольное образование');
  });

  it('adds no doubtful word after the last probable one', () => {
    const name = 'general:address';
    const reading = readingOf([
      { at: [40, 40], text: 'ул. Мира, 5', name },
      { at: [112, 40], text: 'стр.', name, probability: 0.2 },
    ]);
    expect(valueAt(name, reading)).toBe('ул. Мира, 5');
  });

  it('returns undefined for a value outside of its range, text in place of a number, and punctuation', () => {
    const read = (name: string, text: string) => valueAt(name, readingOf([{ at: [40, 40], text, name }]));
    expect(read('general:year_built', '3')).toBeUndefined();
    expect(read('areas:total_area', 'нет')).toBeUndefined();
    expect(read('general:owner', '— —')).toBeUndefined();
    expect(valueAt('general:owner', readingOf([]))).toBeUndefined();
  });

  it('reads 000 before the name of a company as ООО on a scanned page', () => {
    const name = 'general:owner';
    const read = (text: string) => valueAt(name, readingOf([{ at: [40, 40], text, name }], { confidence: 0.95 }));
    expect(read('000 «Горизонт»')).toBe('ООО «Горизонт»');
    expect(read('0О0 "Горизонт"')).toBe('ООО "Горизонт"');
    expect(read('ЗАО «Завод 000»')).toBe('ЗАО «Завод 000»');
  });
});

describe('best', () => {
  it('prefers a longer reading to a slightly more probable short one', () => {
    const { tokens } = readingOf([{ at: [40, 40], text: 'г. Пермь, ул. Мира, д. 5' }]);
    const short = { tokens: tokens.slice(0, 2), value: 'short', score: 0.92, lowest: 0.9 };
    const long = { tokens, value: 'long', score: 0.9, lowest: 0.9 };
    expect(best([short, long])).toBe(long);
    expect(
      best([
        { ...short, score: 1 },
        { ...long, score: 0.8 },
      ])?.value,
    ).toBe('short');
    expect(best([])).toBeUndefined();
  });
});

it('reads an address with a comma at the end of each line where lines end early', () => {
  const name = 'general:address';
  const lines = ['Second Floor', 'Tallow House, 40 Candlewick Row', 'London EC2A 9ZZ'];
  const reading = readingOf(lines.map((text, i) => ({ at: [40, 40 + 12 * i], text, name })));
  expect(valueAt(name, reading)).toBe('Second Floor, Tallow House, 40 Candlewick Row, London EC2A 9ZZ');
  const printed = ['г. Тула, ул. Большая', 'Речная, д. 5,', 'кв. 7'];
  const wrapped = readingOf(printed.map((text, i) => ({ at: [40, 40 + 12 * i], text, name })));
  expect(valueAt(name, wrapped)).toBe('г. Тула, ул. Большая Речная, д. 5, кв. 7');
});

it('reads a date with the day that the network doubts', () => {
  const name = 'general:issue_date';
  const reading = readingOf([
    { at: [40, 40], text: '4', name, probability: 0.1 },
    { at: [52, 40], text: 'Mar. 1974', name },
  ]);
  expect(valueAt(name, reading)).toBe('1974-03-04');
});

it.each([
  ['as wide as the space before them', 'сумме', 116, 9140],
  ['wider than the space before them', 'сумме', 124, 140],
  ['after a short word', 'кв.', 116, 140],
])('reads thousands with a space %s', (_, word, x, expected) => {
  const name = 'general:inventory_value';
  const reading = readingOf([
    { at: [90 - 6 * word.length, 40], text: word },
    { at: [100, 40], text: '9' },
    { at: [x, 40], text: '140,00', name },
  ]);
  expect(valueAt(name, reading)).toBe(expected);
});

it('looks for the rest of a date among the nearest words only', () => {
  const name = 'general:issue_date';
  const words = Array.from({ length: 300 }, (_, i) => ({ at: [40, 40] as const, text: 'мая', name, group: i }));
  const reading = readingOf(words);
  let calls = 0;
  const probabilityOf = (i: number, field: string) => {
    calls += 1;
    return reading.probabilityOf(i, field);
  };
  expect(readField({ ...reading, probabilityOf }, name, specOf(name))).toBeUndefined();
  expect(calls).toBeLessThan(100 * words.length);
});

it.each([
  ['a letter of a column of codes', [60, 80], 'concrete tiles on battens'],
  ['a letter with one other above it', [60], 'concrete tiles C on battens'],
])('reads a text beside %s', (_, others, expected) => {
  const name = 'construction:roof';
  const reading = readingOf([
    { at: [200, 40], text: 'concrete tiles', name },
    { at: [300, 40], text: 'C', name },
    { at: [200, 54], text: 'on battens', name },
    ...others.map((y) => ({ at: [300, y + 20] as const, text: 'B' })),
  ]);
  expect(valueAt(name, reading)).toBe(expected);
});

it('keeps the letter of a section in an address', () => {
  const name = 'general:address';
  const reading = readingOf([
    { at: [200, 40], text: 'Мира 5, литера', name },
    { at: [300, 40], text: 'Б', name },
    ...[60, 80].map((y) => ({ at: [300, y] as const, text: 'А' })),
  ]);
  expect(valueAt(name, reading)).toBe('Мира 5, литера Б');
});

describe('readParts', () => {
  const address = specOf('general:address');
  const partsOf = (parts: Record<string, string>) =>
    readingOf(
      Object.entries(parts).map(([name, text], i) => ({
        at: [200, 40 + 20 * i] as const,
        text,
        name: `address.${name}`,
        group: i,
      })),
    );

  it('ignores a label of another kind of part above a blank: premises above the region', () => {
    const reading = readingOf([
      { at: [60, 90], text: 'Адрес помещения (строения)' },
      { at: [60, 101], text: 'Республика Башкортостан', name: 'address.region', group: 2 },
      { at: [60, 130], text: 'Белорецкий район', name: 'address.district', group: 3 },
      { at: [60, 160], text: 'Первомайская', name: 'address.street', group: 4 },
    ]);
    expect(readParts(reading, address)?.value).toBe('Республика Башкортостан, Белорецкий район, ул. Первомайская');
  });

  it.each([
    ['between its words', 496, '8'],
    ['above its last word', 520, '12'],
  ])('reads the caption in brackets below a blank, with the value %s: premises, and not a flat', (_, x, value) => {
    const reading = readingOf([
      { at: [60, 40], text: 'Мира', name: 'address.street', group: 2 },
      { at: [285, 40], text: '5', name: 'address.house', group: 3 },
      { at: [x, 40], text: value, name: 'address.flat', group: 4 },
      { at: [60, 55], text: '(улица)' },
      { at: [260, 55], text: '(номер дома)' },
      { at: [460, 55], text: '(номер помещения)' },
    ]);
    expect(readParts(reading, address)?.value).toBe(`ул. Мира, д. 5, пом. ${value}`);
  });

  it('writes a district once that also stands before the village in its blank', () => {
    const parts = { district: 'Майкопский р-н', city: 'Майкопский р-н, пос. Тульский', house: '4' };
    expect(readParts(partsOf(parts), address)?.value).toBe('Майкопский р-н, пос. Тульский, д. 4');
  });

  it('joins the parts of an address with their prefixes, from region to flat', () => {
    const reading = partsOf({ flat: '12', house: '5', street: 'Мира', city: 'Пермь', region: 'Пермский край' });
    expect(readParts(reading, address)?.value).toBe('Пермский край, г. Пермь, ул. Мира, д. 5, кв. 12');
  });

  it.each([
    [{ city: 'Орск', district: 'Ленинский', street: 'Мира' }, 'г. Орск, Ленинский район, ул. Мира'],
    [{ region: 'Томская', city: 'Томск', district: 'Кировский' }, 'Томская область, г. Томск, Кировский район'],
    [{ city: 'Орск', region: 'Томская', district: 'Кировский' }, 'Томская область, г. Орск, Кировский район'],
  ] as [Record<string, string>, string][])('keeps a district after the town before it: %j', (parts, value) => {
    expect(readParts(partsOf(parts), address)?.value).toBe(value);
  });

  it.each([
    [{ district: 'Ленинский', city: 'Орск', street: 'Мира' }, 'Ленинский район, г. Орск, ул. Мира'],
    [{ city: 'с. Тахта', district: 'Ипатовский' }, 'Ипатовский район, с. Тахта'],
    [{ city: 'р. п. Шаля', district: 'Шалинский' }, 'Шалинский район, р. п. Шаля'],
    [{ city: 'Ясный', district: 'Ясненский муниципальный район' }, 'Ясненский муниципальный район, г. Ясный'],
    [{ city: 'Орск', district: 'Чаинский', region: 'Томская' }, 'Томская область, Чаинский район, г. Орск'],
  ] as [Record<string, string>, string][])('places a rural district before its town or village: %j', (parts, value) => {
    expect(readParts(partsOf(parts), address)?.value).toBe(value);
  });

  it.each([
    ['(село, деревня)', 'Ипатовский район, г. Тахта'],
    ['(город, село)', 'г. Тахта, Ипатовский район'],
  ])('reads the kind of a place in the caption %s below its blank', (caption, value) => {
    const reading = readingOf([
      { at: [60, 40], text: 'Тахта', name: 'address.city', group: 1 },
      { at: [60, 53], text: caption },
      { at: [60, 90], text: 'Ипатовский', name: 'address.district', group: 2 },
    ]);
    expect(readParts(reading, address)?.value).toBe(value);
  });

  it('places a district that stands right of its town and a little higher after it', () => {
    const reading = readingOf([
      { at: [60, 41], text: 'Орск', name: 'address.city', group: 1 },
      { at: [300, 40], text: 'Ленинский', name: 'address.district', group: 2 },
    ]);
    expect(readParts(reading, address)?.value).toBe('г. Орск, Ленинский район');
  });

  it('does not repeat prefixes that the page contains', () => {
    const reading = partsOf({
      district: 'Кунгурский р-н',
      city: 'село Усть-Турка',
      street: 'пер. Речной',
      house: 'дом 8',
    });
    expect(readParts(reading, address)?.value).toBe('Кунгурский р-н, село Усть-Турка, пер. Речной, дом 8');
  });

  it('distinguishes parts of one class by their labels', () => {
    const reading = readingOf([
      { at: [40, 40], text: 'Область (край)' },
      { at: [200, 40], text: 'Рязанская', name: 'address.region', group: 1 },
      { at: [40, 60], text: 'район' },
      { at: [200, 60], text: 'Сапожковский', name: 'address.district', group: 2 },
      { at: [40, 80], text: 'сельский Совет' },
      { at: [200, 80], text: 'Канинский', name: 'address.district', group: 3 },
      { at: [40, 100], text: 'Помещение' },
      { at: [200, 100], text: '2', name: 'address.flat', group: 4 },
      { at: [40, 120], text: 'квартал №' },
      { at: [200, 120], text: '37', name: 'address.flat', group: 5 },
    ]);
    expect(readParts(reading, address)?.value).toBe(
      'Рязанская область, Сапожковский район, Канинский сельсовет, пом. 2',
    );
  });

  it.each(['Строение Помещение', 'Строение Помещ.'])(
    'names a rural district, and a flat by the label %s above it',
    (label) => {
      const reading = readingOf([
        { at: [40, 40], text: 'сельский округ' },
        { at: [200, 40], text: 'Садовый', name: 'address.district', group: 1 },
        { at: [40, 80], text: label },
        { at: [50, 94], text: '2', name: 'address.block', group: 2 },
        { at: [100, 94], text: '3', name: 'address.flat', group: 3 },
      ]);
      expect(readParts(reading, address)?.value).toBe('Садовый сельский округ, стр. 2, пом. 3');
    },
  );

  it('does not call a republic an oblast or a rural settlement a council', () => {
    const reading = readingOf([
      { at: [40, 40], text: 'Субъект РФ' },
      { at: [200, 40], text: 'Удмуртская', name: 'address.region', group: 1 },
      { at: [40, 60], text: 'сельское поселение' },
      { at: [200, 60], text: 'Бабинское', name: 'address.district', group: 2 },
    ]);
    expect(readParts(reading, address)?.value).toBe('Удмуртская, Бабинское');
  });

  it('adds the kind of a place or street that stands in front of its name or behind it', () => {
    const reading = readingOf([
      { at: [40, 40], text: 'Область' },
      { at: [200, 40], text: 'Акмолинская', name: 'address.region', group: 1 },
      { at: [272, 40], text: 'обл.,' },
      { at: [40, 60], text: 'Населённый пункт с.' },
      { at: [170, 60], text: 'Катарколь', name: 'address.city', group: 2 },
      { at: [176, 80], text: 'пер.' },
      { at: [206, 80], text: 'Станционный', name: 'address.street', group: 3 },
    ]);
    expect(readParts(reading, address)?.value).toBe('Акмолинская обл., с. Катарколь, пер. Станционный');
  });

  it('adds no label with several kinds, and no other spelling of the usual kind', () => {
    const reading = readingOf([
      { at: [40, 40], text: 'Город' },
      { at: [82, 40], text: 'Кашин', name: 'address.city', group: 1 },
      { at: [40, 60], text: 'Улица, переулок' },
      { at: [140, 60], text: 'Садовая', name: 'address.street', group: 2 },
    ]);
    expect(readParts(reading, address)?.value).toBe('г. Кашин, ул. Садовая');
  });

  it('is unsure of a part with two readings', () => {
    const reading = partsOf({ district: 'Таганский', city: 'Москва' });
    expect(readParts(reading, address)?.lowest).toBeCloseTo(0.9);
    const two = readingOf([
      { at: [200, 40], text: 'Таганский', name: 'address.district', group: 1 },
      { at: [200, 60], text: 'Центральный', name: 'address.district', group: 2 },
      { at: [200, 80], text: 'Москва', name: 'address.city', group: 3 },
    ]);
    expect(readParts(two, address)?.lowest).toBeCloseTo(0.1);
  });

  it('returns the tokens and the mean score of all parts', () => {
    const found = readParts(partsOf({ street: 'Большая Речная', house: '5' }), address)!;
    expect(found.tokens.map(({ text }) => text)).toEqual(['Большая', 'Речная', '5']);
    expect(found.score).toBeCloseTo(0.9);
  });

  it('returns undefined for fewer than two parts, and for a field without parts', () => {
    expect(readParts(partsOf({ city: 'Пермь' }), address)).toBeUndefined();
    expect(readParts(partsOf({}), address)).toBeUndefined();
    expect(readParts(partsOf({ city: 'Пермь', street: 'Мира' }), specOf('general:owner'))).toBeUndefined();
  });
});
