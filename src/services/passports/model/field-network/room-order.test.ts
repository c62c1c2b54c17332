import { expect, it } from 'vitest';
import { loadSchema } from '../../schema/load-schema.ts';
import type { Token } from '../fields/page-tokens.ts';
import type { Row } from './room-columns.ts';
import { inPrintedOrder } from './room-order.ts';

const { columns } = loadSchema().sections.find(({ key }) => key === 'rooms')!.table!;
const spec = (key: string) => columns.find((column) => column.key === key)!;

/** A room: its number left of its name, its name at `x`, `y` and its area `below` it. */
function roomAt(x: number, y: number, name: string, below: number, no?: string): Row {
  const cell = (key: string, value: string, left: number, top: number) => ({
    ...{ spec: spec(key), value, score: 1, text: value },
    tokens: [{ text: value, x0: left, x1: left + 40, y0: top, y1: top + 10, id: 0 } as unknown as Token],
  });
  const cells = [
    ...(no ? [cell('no', no, x - 30, y)] : []),
    cell('name', name, x, y),
    cell('area', '9.5', below > 0 ? x : x + 60, y + below),
  ];
  return { cells, x0: x, x1: x + 100, y: y + below / 2 } as unknown as Row;
}

it.each([
  ['cards line by line', 14, ['a', 'b', 'c', 'd', 'e']],
  ['tables side by side one after another', 0, ['a', 'd', 'b', 'e', 'c']],
])('rooms without numbers: %s', (_name, below, expected) => {
  const places = [
    [40, 100, 'a'],
    [240, 100, 'b'],
    [440, 100, 'c'],
    [40, 160, 'd'],
    [240, 160, 'e'],
  ] as const;
  const rows = places.map(([x, y, name]) => roomAt(x, y, name, below));
  expect(inPrintedOrder(rows.toReversed()).map(({ cells }) => cells[0]!.value)).toEqual(expected);
});

it('tables of two flats side by side stay apart: 1-1, 1-2, 2-1, 2-2', () => {
  const rows = ['1-1', '2-1', '1-2', '2-2', '1-3', '2-3'].map((no, i) =>
    roomAt(i % 2 === 0 ? 40 : 340, 100 + 20 * Math.floor(i / 2), no, 0, no),
  );
  expect(inPrintedOrder(rows).map(({ cells }) => cells[0]!.value)).toEqual(['1-1', '1-2', '1-3', '2-1', '2-2', '2-3']);
});
