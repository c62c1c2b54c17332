import { expect, it } from 'vitest';
import { loadSchema } from '../../schema/load-schema.ts';
import type { TableCell } from './read-row.ts';
import { withoutSubtotals } from './subtotals.ts';

const table = loadSchema().sections.find(({ key }) => key === 'rooms')!.table!;

function row(no: string | undefined, name: string, area: number): TableCell[] {
  return Object.entries({ no, name, area }).flatMap(([key, value]) =>
    value === undefined ? [] : [{ spec: table.columns.find((column) => column.key === key)!, value, tokens: [] }],
  );
}

const ROOMS = [row('1', 'hall', 7.3), row('2', 'kitchen', 8.8), row('3', 'attic', 12.4)];

it('drops the sums of floors and of the table', () => {
  const rows = [...ROOMS, row(undefined, 'on the floor', 28.5), row('4', 'cellar', 5), row('5', 'stairs', 6)];
  const sums = [row(undefined, 'on the floor', 11), row(undefined, 'in the house', 39.5)];
  expect(withoutSubtotals([...rows, ...sums], table)).toEqual([...ROOMS, rows[4], rows[5]]);
});

it.each([
  ['a room without number that is not the sum', [...ROOMS, row(undefined, 'balcony', 28)]],
  ['a numbered room with the area of the rooms above', [...ROOMS, row('4', 'store', 28.5)]],
  ['a room as large as the only one above', [row('1', 'hall', 7.3), row(undefined, 'hall', 7.3), row('2', 'attic', 4)]],
  [
    'all rows of a table without numbers',
    [...ROOMS, row(undefined, 'a', 28.5)].map((cells) => cells.filter(({ spec }) => spec.key !== 'no')),
  ],
])('keeps %s', (_, rows) => {
  expect(withoutSubtotals(rows, table)).toEqual(rows);
});
