import { expect, it } from 'vitest';
import type { ColumnSpec } from '../../schema/schema.ts';
import type { Sheet, Token } from './page-tokens.ts';
import { type ReadCell, repairRows } from './table-repairs.ts';

const area: ColumnSpec = { key: 'area', label: 'Площадь', type: 'number', unit: 'm2' };
const living: ColumnSpec = { key: 'living_area', label: 'Жилая', type: 'number', unit: 'm2' };
const no: ColumnSpec = { key: 'no', label: '№', type: 'string', numbering: true };

const token = (text: string, confidence: number | null = 0.9): Token => ({
  ...{ x0: 0, y0: 0, x1: 1, y1: 1, word: 0, id: 0, glued: false, sheet: {} as Sheet },
  ...{ text, confidence },
});
const cell = (spec: ColumnSpec, text: string, confidence?: number | null): ReadCell => ({
  ...{ spec, value: spec.type === 'string' ? text : Number(text.replace(',', '.')), score: 1 },
  tokens: [token(text, confidence)],
});
const repair = (rows: ReadCell[][], total = '') => repairRows(rows, [token(total)]);
const values = (rows: ReadCell[][], total?: string) => repair(rows, total).map((row) => row.map(({ value }) => value));

it('repairRows restores a lost decimal point if the column then has its printed sum', () => {
  const rows = [[cell(area, '12,4')], [cell(area, '79')], [cell(area, '5,1')], [cell(area, '17,0')]];
  expect(values(rows, '42,4')).toEqual([[12.4], [7.9], [5.1], [17]]);
});

it('repairRows keeps a larger number without that sum, with a lower score', () => {
  const rows = [[cell(area, '12,4')], [cell(area, '120')], [cell(area, '5,1')], [cell(area, '17,0')]];
  for (const total of ['154,5', '']) expect(repair(rows, total)[1]).toMatchObject([{ value: 120, score: 0.7 }]);
});

it('repairRows restores a lost decimal point when the row contains the same number with one', () => {
  const rows = [
    [cell(area, '1,2'), cell(living, '12')],
    [cell(area, '15,4'), cell(living, '15,4')],
  ];
  expect(values(rows)).toEqual([
    [1.2, 1.2],
    [15.4, 15.4],
  ]);
  // 120 = 108 + 12
  const hall = [cell(area, '120'), cell(living, '108,0'), cell({ ...living, key: 'auxiliary_area' }, '12,0')];
  expect(values([hall, ...rows])[0]).toEqual([120, 108, 12]);
});

it('repairRows keeps whole numbers that do not exceed the others and those of a PDF text layer', () => {
  const others = [[cell(area, '12,4')], [cell(area, '5,1')], [cell(area, '17,0')]];
  expect(values([...others, [cell(area, '14')]]).at(-1)).toEqual([14]);
  expect(values([...others, [cell(area, '79', null)]]).at(-1)).toEqual([79]);
});

it('repairRows corrects a row number whose neighbours are consecutive', () => {
  expect(values([[cell(no, '2')], [cell(no, '5')], [cell(no, '4')]])).toEqual([['2'], ['3'], ['4']]);
  expect(values([[cell(no, '2')], [cell(no, '5')], [cell(no, '7')]])).toEqual([['2'], ['5'], ['7']]);
  expect(values([[cell(no, '2')], [cell(no, '2а')], [cell(no, '4')]])).toEqual([['2'], ['2а'], ['4']]);
  expect(values([[cell(no, 'F4')], [cell(no, 'FS')]])).toEqual([['F4'], ['F5']]);
  expect(values([[cell(no, '10')], [cell(no, 'и')], [cell(no, '12')]])).toEqual([['10'], ['11'], ['12']]);
  expect(values([[cell(no, '10')], [cell(no, 'лестница')], [cell(no, '20')]])).toEqual([['10'], ['лестница'], ['20']]);
});
