import { describe, expect, it } from 'vitest';
import { findDate, MONTH_FIRST_LABEL } from './dates.ts';
import { findNumber, parseNumber } from './numbers.ts';
import { parseValue, readValue } from './values.ts';

describe('parseNumber', () => {
  it.each([
    ['1 234,56', 1234.56],
    ['1\u00a0234,56', 1234.56],
    ['1234.56', 1234.56],
    ['1.234,56', 1234.56],
    ['1,234', 1.234],
    ['−5', -5],
  ])('parses %s as %d', (text, value) => expect(parseNumber(text)).toBe(value));
  it.each(['', 'abc', '12.03.1987', '1 2 3 м', '1.2.3'])('returns undefined for "%s"', (text) =>
    expect(parseNumber(text)).toBeUndefined(),
  );
});

describe('findNumber', () => {
  it.each([
    ['1 597 799 руб.', 1597799],
    ['$674,914', 674914],
    ['57,6 / 34,1', 57.6],
    ['5О,6 кв. м', 50.6],
    ['0,75', 0.75],
  ])('finds a number in %s', (text, value) => expect(findNumber(text, 2)?.value).toBe(value));
  it('does not find a number in a date', () => expect(findNumber('12.03.1987')).toBeUndefined());
});

describe('findDate', () => {
  it.each([
    ['1987-03-12', '1987-03-12'],
    ['12.03.1987', '1987-03-12'],
    ['от 12.03.87 г.', '1987-03-12'],
    ['14/III-19 62 г.', '1962-03-14'],
    ['12.03.19__ 87', '1987-03-12'],
    ['12.03.20 06 года', '2006-03-12'],
    ['12.03.19 14.05.20', '2019-03-12'],
    ['12.03.20 15 листов', '2020-03-12'],
    ['05/01/2009', '2009-01-05'],
    ['12.III.1987', '1987-03-12'],
    ['27 .ХТ. 1984', '1984-11-27'],
    ['3. 1X.1984', '1984-09-03'],
    ['25.П.1980', '1980-02-25'],
    ['25/Ш 1980', '1980-03-25'],
    ['8/1 1999', undefined],
    ['05.I1.1999', '1999-11-05'],
    ['Договор № 12-П-80 от 15.03.1995', '1995-03-15'],
    ['Приказ № 3/П-20 от 01.02.2020', '2020-02-01'],
    ['Дело № 14-Ш-99, составлен 03.04.2001', '2001-04-03'],
    ['12-П-80', undefined],
    ['12 марта 1987 г.', '1987-03-12'],
    ['« 14 » сентября 20 06 г.', '2006-09-14'],
    ['« 07 » ____мая____ 2011', '2011-05-07'],
    ['March 12, 1987', '1987-03-12'],
    ['двадцать первого марта тысяча девятьсот восемьдесят седьмого года', '1987-03-21'],
    ['10 мая две тысячи десятого года', '2010-05-10'],
    ['21 марта одна тысяча девятьсот восемьдесят седьмого года', '1987-03-21'],
  ])('reads %s as %s', (text, value) => expect(findDate(text, 2026)?.value).toBe(value));
  it('includes the quotation mark before the day', () => {
    expect(findDate('от « 14 » сентября 20 06 г.', 2026)).toEqual({ value: '2006-09-14', start: 3, end: 24 });
  });
  it('in ISO format has the month second, also where dates have the month first', () => {
    const find = (text: string) => findDate(text, 2026, MONTH_FIRST_LABEL)?.value;
    expect(find('1987-03-19')).toBe('1987-03-19');
    expect(find('2020-03-20')).toBe('2020-03-20');
    expect(find('03/12/1987')).toBe('1987-03-12');
    expect(find('12/03/12')).toBe('2012-12-03');
  });
  it.each(['31.02.2010', '13/13/2010', 'май 2010'])('does not find a date in %s', (text) =>
    expect(findDate(text)).toBeUndefined(),
  );
});

describe('a value', () => {
  it('is converted to the unit of its field from the unit of the text or the label', () => {
    const area = { type: 'number', unit: 'm2' } as const;
    expect(readValue(area, '0,0512 га')?.value).toBe(512);
    expect(readValue(area, '6,5', 'Площадь участка, сот.')?.value).toBe(650);
    expect(readValue({ type: 'number', unit: 'm' }, '255 см')?.value).toBe(2.55);
    expect(readValue({ type: 'number', unit: 'm' }, '2,70 м (см. план)')?.value).toBe(2.7);
    const money = { type: 'number', unit: 'rub', decimals: 2 } as const;
    expect(readValue(money, '2 140 руб. 50 коп.')?.value).toBe(2140.5);
    expect(readValue(money, '1 330,504 тыс. руб.')?.value).toBe(1330504);
    // OCR lost the first space.
    expect(readValue(money, '4055 503,32 руб.')).toMatchObject({ value: 4055503.32, start: 0, end: 11 });
    expect(readValue(money, '22 312475 руб.')?.value).toBe(22312475);
    // The year of the prices.
    expect(readValue(money, 'в ценах 2001 г. 753 880,11 руб.')).toMatchObject({ value: 753880.11, start: 16, end: 26 });
    expect(readValue(money, 'в ценах 2001 г. 565,2 тыс. руб.')?.value).toBe(565200);
    expect(readValue(money, '2001 руб.')?.value).toBe(2001);
  });

  it('is within the limits of its field', () => {
    const year = { type: 'integer', minimum: 1600, maximum: 2100 } as const;
    expect(readValue(year, 'п. 3, 1974 г.')?.value).toBe(1974);
    expect(parseValue(year, '74')).toEqual({ ok: false, problem: 'minimum' });
  });

  it.each([
    ['З-этажный', 3],
    ['З-х этажного', 3],
    ['[', 1],
    ['на ] этаже', 1],
    ['« | »', 1],
    ['б.', 6],
    ['за этаж', undefined],
    ['[б]', undefined],
    // The rule of a cell.
    ['комнат |', undefined],
  ])('that OCR read as a letter or stroke is an integer: %s', (text, value) => {
    expect(readValue({ type: 'integer', minimum: 0, maximum: 40 }, text)?.value).toBe(value);
  });

  it('is parsed by its type: strings keep their characters, empty is null', () => {
    expect(parseValue({ type: 'string' }, ' 007 ')).toEqual({ ok: true, value: ' 007 ' });
    expect(parseValue({ type: 'number' }, '')).toEqual({ ok: true, value: null });
    expect(parseValue({ type: 'number' }, 'семь')).toEqual({ ok: false, problem: 'type' });
    expect(parseValue({ type: 'date' }, '12 марта 1987 г.')).toEqual({ ok: true, value: '1987-03-12' });
    expect(parseValue({ type: 'date' }, 'до 12.03.1987')).toEqual({ ok: false, problem: 'type' });
    expect(parseValue({ type: 'date' }, '0019-03-12')).toEqual({ ok: false, problem: 'type' });
    expect(parseValue({ type: 'boolean' }, 'имеется')).toEqual({ ok: true, value: true });
    expect(parseValue({ type: 'string', pattern: '^\\d+$' }, 'x')).toEqual({ ok: false, problem: 'pattern' });
    expect(parseValue({ type: 'string' }, 'x'.repeat(10_001))).toEqual({ ok: false, problem: 'too_long' });
    for (const type of ['date', 'number', 'integer'] as const) {
      expect(parseValue({ type }, ' '.repeat(101))).toEqual({ ok: false, problem: 'too_long' });
      expect(parseValue({ type }, ' '.repeat(100))).toEqual({ ok: true, value: null });
    }
    const spec = { type: 'enum', enum: ['brick', { value: 'wood', label: { en: 'Wood', ru: 'Дерево' } }] } as const;
    expect(parseValue({ ...spec, enum: [...spec.enum] }, 'дерево')).toEqual({ ok: true, value: 'wood' });
    expect(parseValue({ ...spec, enum: [...spec.enum] }, 'stone')).toEqual({ ok: false, problem: 'enum' });
  });

  it.each([
    ['8а', '8а'],
    ['№ 12', '12'],
    ['G.1', 'G.1'],
    ['12/3.', '12/3'],
    ['1О', '10'],
    ['II', 'II'],
    ['Б)', 'Б'],
    ['3 кухня', '3'],
    ['кухня', undefined],
    ['—', undefined],
  ])('that numbers rows is the number with its letters: %j is %j', (text, expected) => {
    expect(readValue({ type: 'string', numbering: true }, text)?.value).toBe(expected);
  });

  it('is read from number words', () => {
    expect(readValue({ type: 'integer' }, 'на третьем этаже')?.value).toBe(3);
  });
});
