import { describe, expect, it } from 'vitest';
import { loadSchema } from '../../schema/load-schema.ts';
import { writeAddress } from './read-parts.ts';

const parts = loadSchema().sections.flatMap(({ fields = [] }) => fields.flatMap((field) => field?.parts ?? []));
const write = (values: Readonly<Record<string, string>>) =>
  writeAddress(
    parts.flatMap((part) => {
      const synonym = part.synonyms.find((one) => Object.hasOwn(values, one));
      return synonym ? [{ part, value: values[synonym]! }] : [];
    }),
  );

describe('writeAddress', () => {
  it('names the kinds of the parts of a Russian address', () => {
    expect(write({ Область: 'Пермская', Город: 'Чайковский', Улица: 'Ленина', Дом: '7', Квартира: '12' })).toBe(
      'Пермская область, г. Чайковский, ул. Ленина, д. 7, кв. 12',
    );
  });

  it.each([
    [
      { Район: 'York', Город: 'Fredericton', Улица: 'Aberdeen Street', Дом: '288' },
      '288 Aberdeen Street, Fredericton, York',
    ],
    [{ Город: 'Rocky Harbour', Улица: 'Main Road', Дом: '141–143' }, '141–143 Main Road, Rocky Harbour'],
    [{ Город: 'Leeds', Улица: 'Mill Lane', Дом: '4', Квартира: '3b' }, 'Flat 3b, 4 Mill Lane, Leeds'],
    [{ Город: 'Leeds', Улица: 'Mill Lane', Квартира: '3b' }, 'Flat 3b, Mill Lane, Leeds'],
    [{ Город: 'Leeds', Дом: '12' }, '12, Leeds'],
    [{ Город: 'Leeds', Улица: '5th Avenue', Дом: '12 A', Корпус: '2' }, 'Block 2, 12 A 5th Avenue, Leeds'],
    [{ Город: 'Chester', Улица: 'Highway 3' }, 'Highway 3, Chester'],
  ])('writes an English address from the number to the region: %o', (values, expected) => {
    expect(write(values)).toBe(expected);
  });

  it('follows templates in English', () => {
    const [street, city] = ['Street {}', 'City {}'].map((write) => ({ synonyms: [], write }));
    const values = [
      { part: street!, value: 'Mill Lane' },
      { part: city!, value: 'Leeds' },
    ];
    expect(writeAddress(values)).toBe('Street Mill Lane, City Leeds');
  });
});
