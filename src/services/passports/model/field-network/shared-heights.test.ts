import { expect, it } from 'vitest';
import type { Area, Token } from '../fields/page-tokens.ts';
import type { ReadCell } from '../fields/table-repairs.ts';
import type { Row } from './room-columns.ts';
import { withSharedHeights } from './shared-heights.ts';

const SPECS = {
  area: { key: 'area', type: 'number', unit: 'm2', label: {} },
  height: { key: 'height', type: 'number', unit: 'm', label: {} },
  heightAsArea: { key: 'height', type: 'number', unit: 'm2', label: {} },
} as const;

const cell = (spec: keyof typeof SPECS, value: number, place: Pick<Area, 'x0' | 'y0'>): ReadCell => {
  const token = { ...place, x1: place.x0 + 20, y1: place.y0 + 10, text: String(value) } as Token;
  return { spec: SPECS[spec], tokens: [token], value, score: 1 } as unknown as ReadCell;
};
const line = (x0: number, y0: number, x1: number, y1: number): Area => ({ x0, y0, x1, y1 });

/** Three rows of 20 points with their areas, and one height beside the first two. */
function read(height: 'height' | 'heightAsArea', others: readonly ReadCell[] = []) {
  const rows = [0, 1, 2].map((i): Row => {
    const cells = [cell('area', 10 + i, { x0: 10, y0: 20 * i + 5 })];
    if (i === 0) cells.push(cell(height, 2.7, { x0: 110, y0: 15 }));
    return { cells: i === 1 ? [...cells, ...others] : cells, x0: 10, x1: 30, y: 20 * i + 10 };
  });
  const horizontal = [line(0, 0, 200, 0), line(0, 20, 100, 20), line(0, 40, 200, 40), line(0, 60, 200, 60)];
  const vertical = [line(0, 0, 0, 60), line(100, 0, 100, 60), line(200, 0, 200, 60)];
  return withSharedHeights(rows, { horizontal, vertical }).map(({ cells }) => cells.map(({ value }) => value));
}

it('gives the height of a merged cell to each row beside it', () => {
  expect(read('height')).toEqual([[10, 2.7], [11, 2.7], [12]]);
});

it('leaves areas, and rows with heights of their own', () => {
  expect(read('heightAsArea')).toEqual([[10, 2.7], [11], [12]]);
  expect(read('height', [cell('height', 3, { x0: 110, y0: 25 })])).toEqual([[10, 2.7], [11, 3], [12]]);
});
