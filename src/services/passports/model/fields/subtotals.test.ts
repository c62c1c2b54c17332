import { expect, it } from 'vitest';
import { loadSchema } from '../../schema/load-schema.ts';
import { withoutSubtotals } from './subtotals.ts';

const table = loadSchema().sections.find(({ key }) => key === 'rooms')!.table!;

function row(no: string | undefined, name: string, area: number) {
  return Object.entries({ no, name, area }).flatMap(([key, value]) =>
    value === undefined ? [] : [{ spec: table.columns.find((column) => column.key === key)!, value }],
  );
}

const ROOMS = [row('1', 'hall', 7.3), row('2', 'kitchen', 8.8), row('3', 'attic', 12.4)];

it('drops the sums of floors and of the table', () => {
  const rows = [...ROOMS, row(undefined, 'on the floor', 28.5), row('4', 'cellar', 5), row('5', 'stairs', 6)];
  const sums = [row(undefined, 'on the floor', 11), row(undefined, 'in the house', 39.5)];
  expect(withoutSubtotals([...rows, ...sums], table)).toEqual([...ROOMS, rows[4], rows[5]]);
});

it('drops sums that stand above their rows', () => {
  const floor = (name: string, area: number) => row(undefined, name, area);
  const rows = [floor('First floor', 28.5), ...ROOMS, floor('Attic', 11), row('4', 'store', 5), row('5', 'stairs', 6)];
  expect(withoutSubtotals(rows, table)).toEqual([...ROOMS, ...rows.slice(-2)]);
});

it.each([
  ['a room without number that is not the sum', [...ROOMS, row(undefined, 'balcony', 28)]],
  ['a room without number above others of another sum', [row(undefined, 'porch', 28), ...ROOMS]],
  ['a numbered room with the area of the rooms above', [...ROOMS, row('4', 'store', 28.5)]],
  ['a room as large as the only one above', [row('1', 'hall', 7.3), row(undefined, 'hall', 7.3), row('2', 'attic', 4)]],
  [
    'all rows of a table without numbers',
    [...ROOMS, row(undefined, 'a', 28.5)].map((cells) => cells.filter(({ spec }) => spec.key !== 'no')),
  ],
])('keeps %s', (_, rows) => {
  expect(withoutSubtotals(rows, table)).toEqual(rows);
});
