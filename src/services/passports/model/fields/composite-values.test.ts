import { describe, expect, it } from 'vitest';
import { loadSchema } from '../../schema/load-schema.ts';
import { writeParts } from './composite-values.ts';

const parts = loadSchema().sections.flatMap(({ fields = [] }) => fields.flatMap((field) => field?.parts ?? []));
const write = (values: Readonly<Record<string, string>>) =>
  writeParts(
    parts.flatMap((part) => {
      const synonym = part.synonyms.find((one) => Object.hasOwn(values, one));
      return synonym ? [{ part, value: values[synonym]! }] : [];
    }),
  );

describe('writeParts', () => {
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
    [{ Город: 'Leeds', Улица: 'Mill Lane', Дом: '4', Квартира: '3b' }, '3b, 4 Mill Lane, Leeds'],
    [{ Город: 'Chester', Улица: 'Highway 3' }, 'Highway 3, Chester'],
  ])('writes an English address from the number to the region: %o', (values, expected) => {
    expect(write(values)).toBe(expected);
  });
});
