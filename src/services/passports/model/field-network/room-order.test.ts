import { expect, it } from 'vitest';
import { loadSchema } from '../../schema/load-schema.ts';
import type { Token } from '../fields/page-tokens.ts';
import type { Row } from './room-columns.ts';
import { inPrintedOrder } from './room-order.ts';

const { columns } = loadSchema().sections.find(({ key }) => key === 'rooms')!.table!;
const spec = (key: string) => columns.find((column) => column.key === key)!;

/** A room without a number: its name at `x`, `y` and its area `below` it. */
function roomAt(x: number, y: number, name: string, below: number): Row {
  const cell = (key: string, value: string, left: number, top: number) => ({
    ...{ spec: spec(key), value, score: 1, text: value },
    tokens: [{ text: value, x0: left, x1: left + 40, y0: top, y1: top + 10, id: 0 } as unknown as Token],
  });
  const cells = [cell('name', name, x, y), cell('area', '9.5', below > 0 ? x : x + 60, y + below)];
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
