import { describe, expect, it } from 'vitest';
import { isMonthFirst } from './dates.ts';
import type { ValueSpec } from './schema.ts';
import { readValue } from './values.ts';

const AREA: ValueSpec = { type: 'number', unit: 'm2', minimum: 0, decimals: 2 };
const MONEY: ValueSpec = { type: 'number', unit: 'rub', minimum: 0, decimals: 2 };
const HEIGHT: ValueSpec = { type: 'number', unit: 'm', minimum: 0, maximum: 30, decimals: 2 };
const PERCENT: ValueSpec = { type: 'number', unit: 'percent', minimum: 0, maximum: 100, decimals: 2 };
const STOREYS: ValueSpec = { type: 'integer', minimum: 1, maximum: 200 };
const FLOOR: ValueSpec = { type: 'integer', minimum: -5, maximum: 200 };
const DATE: ValueSpec = { type: 'date' };

const cases: Readonly<Record<string, [ValueSpec, [text: string, value: number | string][]]>> = {
  area: [
    AREA,
    [
      ['64-4 кв.метров', 64.4],
      ['845-7', 845.7],
      ['144-3м2', 144.3],
      ['24;6', 24.6],
      ['34:9', 34.9],
      ['5: 12,4', 5],
      ['1:500', 1],
      ['34:9 кв. м', 34.9],
      ['12;18;9', 12],
      ['12;5 400', 12],
      ['57:34 (общая:жилая)', 57],
      ['1 064, 5 м²', 1064.5],
      ['57,6/34,1', 57.6],
      ['- 52,4', 52.4],
      ['1,864 sq ft', 173.17],
      ['1,864 square feet', 173.17],
      ['1,864 ft²', 173.17],
      ['54.8 m² (590 sq ft)', 54.8],
      ['54.8 m², sq ft 590', 54.8],
      ['54.8 square metres', 54.8],
      ['590 sq ft (54.8 m²)', 54.81],
      ['1,864 SF', 173.17],
      ['50 yd2', 41.81],
      ['50 sq. yards', 41.81],
      ['0.25 acre', 1011.71],
      ['1 1/2 acres', 6070.28],
      ['девятьсот двадцать девять целых четыре десятых м2', 929.4],
      ['61,5 (шестьдесят одна целая пять десятых)', 61.5],
    ],
  ],
  money: [
    MONEY,
    [
      ['140675-93', 140675.93],
      ['70952=44', 70952.44],
      ['140675=', 140675],
      ['163 287 руб. 25 к.', 163287.25],
      ['114 624 RUB 65 копеек', 114624.65],
      ['140675 р. 93 коп.', 140675.93],
      ['177 905 ₽ 27 коп', 177905.27],
      ['71.308-50', 71308.5],
      ['18.640', 18640],
      ['565,2 т.р.', 565200],
      ['18,640 тыс. руб.', 18640],
      ['422,425/-', 422425],
      ['158,448 dollars 50 cents', 158448.5],
      ['Sixty-four thousand five hundred dollars', 64500],
      ['Шестьсот рублей 65 копеек', 600.65],
      ['2532 руб. (Две тысячи пятьсот тридцать два рубля 19 копеек)', 2532.19],
      ['2532 (две тысячи пятьсот тридцать два) руб.', 2532],
    ],
  ],
  height: [
    HEIGHT,
    [
      ['320', 3.2],
      ['2940', 2.94],
      ['2940 mm', 2.94],
      ['2-90', 2.9],
      ['2:70', 2.7],
      ['3:5', 3.5],
      ['3;4;2', 3],
      ['2м.75см.', 2.75],
      ['2 м 80 см', 2.8],
      ['два метра восемьдесят сантиметров', 2.8],
      ['h=2,50', 2.5],
      ['8.5 ft', 2.59],
      ['8 feet', 2.44],
      ['8 ft 6 in', 2.59],
      ['2.59 m (8.5 ft)', 2.59],
      ['8 ft / 2.44 m', 2.44],
      ['8 feet and 6 inches', 2.59],
      ['9 ft 10½ in', 3.01],
      ['9 ft. 10 1/2 in.', 3.01],
      ['8½ ft', 2.59],
      [`8' 6"`, 2.59],
      [`8'-6"`, 2.59],
      ['8’6”', 2.59],
      [`8' 6''`, 2.59],
      [`8'`, 2.44],
      [`8.5'`, 2.59],
      [`2,50'`, 2.5],
      ['102 in', 2.59],
      [`102"`, 2.59],
      [`"2.5"`, 2.5],
      [`2.5 "`, 2.5],
      [`"3"`, 3],
      [`3 "`, 3],
      ['3 yards', 2.74],
      ['2.6 in the kitchen', 2.6],
      ['2,50-2,70', 2.5],
      ['3,80/4,40', 3.8],
    ],
  ],
  percentage: [
    PERCENT,
    [
      ['сорок четыре процента', 44],
      ['тридцать %', 30],
      ['30-35%', 30],
      ['eight per cent', 8],
    ],
  ],
  'number of storeys': [
    STOREYS,
    [
      ['двенадцатиэтажное', 12],
      ['5-этажный', 5],
      ['5-ти этажный', 5],
      ['Twenty-eight-storey', 28],
      ['2 и подвал', 2],
      ['III', 3],
    ],
  ],
  floor: [
    FLOOR,
    [
      ['1, 2', 1],
      ['I', 1],
      ['XIV этаж', 14],
      ['на одиннадцатом этаже', 11],
      ['Thirteenth floor', 13],
      ['подвал № 1', -1],
      ['минус 1 этаж', -1],
      ['Минус первый этаж', -1],
      ['minus two', -2],
      ['2 этаж минус', 2],
      ['п/подвал', -1],
      ['цокольный этаж', 0],
      ['Ground', 0],
    ],
  ],
  date: [
    DATE,
    [
      ['8/I 1999 г.', '1999-01-08'],
      ['14.IX.2006', '2006-09-14'],
      ['"18" 02 1954 г.', '1954-02-18'],
      ['18 02 1954', '1954-02-18'],
      ['1990 11 02', '1990-11-02'],
      ['2007.04.27', '2007-04-27'],
      ['октября 27 дня 1971 года', '1971-10-27'],
      ['14 марта 19 74 г.', '1974-03-14'],
      ['18-JAN-2015', '2015-01-18'],
      ['8/16/2015', '2015-08-16'],
      ['02-16-1987', '1987-02-16'],
      ['02/10/1987 (MM/DD/YYYY)', '1987-02-10'],
      ['27th of June, 1985', '1985-06-27'],
      ['fourteenth day of November 2005', '2005-11-14'],
      ['the fifth of May nineteen eighty-five', '1985-05-05'],
      ['this 16th day of September, 1973', '1973-09-16'],
      ['тринадцатое марта тысяча девятисотого года', '1900-03-13'],
      ['О5.О3.1999', '1999-03-05'],
    ],
  ],
};

describe.each(Object.entries(cases))('readValue of a %s', (_kind, [spec, texts]) => {
  it.each(texts)('reads %s as %s', (text, value) => expect(readValue(spec, text)?.value).toBe(value));
});

describe('readValue', () => {
  it('converts feet of a label, unless it has metres too', () => {
    expect(readValue(HEIGHT, '8.5', 'CEILING HEIGHT (FT)')?.value).toBe(2.59);
    expect(readValue(HEIGHT, '2.6', 'Height, m (ft)')?.value).toBe(2.6);
    expect(readValue(AREA, '1,864', 'TOTAL LIVING AREA (SQ FT)')?.value).toBe(173.17);
    expect(readValue(AREA, '54.8', 'Area, m² (sq ft)')?.value).toBe(54.8);
    expect(readValue(HEIGHT, '102', 'Height (in)')?.value).toBe(2.59);
    expect(readValue(HEIGHT, '2.6', 'Height (in metres)')?.value).toBe(2.6);
  });

  it.each([
    [['05/14/1984', '11/03/1984'], true],
    [['05/14/84,', 'Deed', '1402/9'], true],
    [['05/14/1984', '14/05/1984'], false],
    [['11/03/1984', '12.25.3'], false],
    [['05-14-1984', '05-03-1999'], true],
    [['2-45-67', '5-14-22', '12-99-04', '05-03-1999'], false],
    [['11/45/1984', '3/31-99'], false],
  ])('tells from the dates %j whether the month is first', (words, first) => {
    expect(isMonthFirst(words)).toBe(first);
  });

  it('reads the month first if the label contains mm/dd', () => {
    expect(readValue(DATE, '02/10/1987', 'Date (mm/dd/yyyy)')?.value).toBe('1987-02-10');
  });

  it.each([
    [DATE, '13.16.2015'],
    [DATE, 'август 2002 года'],
    [STOREYS, 'подвал'],
    [AREA, 'площадь одной квартиры'],
    [HEIGHT, '45'],
    [HEIGHT, '8-9 ft'],
    [HEIGHT, '8-10 ft'],
    [HEIGHT, '8 to 9 feet'],
    [HEIGHT, '8 ft - 9 ft'],
    [AREA, '50-60 sq ft'],
    [AREA, '1/2 acre'],
    [AREA, '50 ft'],
    [AREA, '8000 square inches'],
  ])('does not find a value of %o in %s', (spec, text) => expect(readValue(spec, text)).toBeUndefined());

  // Quadratic time would exceed the time limit of the test.
  it('takes linear time', { tags: ['full'] }, () => {
    const parts = [
      '1',
      '1 ',
      '1,',
      '1-',
      '1/',
      `1'`,
      '1 ft ',
      'один ',
      'тысяча ',
      'целых ',
      'one hundred and ',
      '12.03.',
      'мая 1 ',
      ' ',
      '(',
      '1 руб. ',
    ];
    for (const part of parts) {
      const text = `${part.repeat(Math.ceil(100_000 / part.length))}!`;
      for (const spec of [AREA, MONEY, HEIGHT, PERCENT, STOREYS, FLOOR, DATE]) readValue(spec, text);
    }
  });
});
