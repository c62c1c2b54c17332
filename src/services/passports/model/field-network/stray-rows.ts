import { median } from '../../../../base/median.ts';
import { createRangeIndex } from '../../../../base/range-index.ts';
import type { ColumnSpec } from '../../schema/schema.ts';
import { isNumbering } from '../../schema/values.ts';
import type { ReadCell } from '../fields/table-repairs.ts';
import { FEW_ROWS, type Row } from './room-columns.ts';
import { SAME_LINE } from './room-order.ts';

/**
 * Drops rows that lack most of the columns of the others: a row of column numbers, a row of another table. A few rows on a
 * page of their own are compared with `all`, and must be surer and numbered if these are.
 */
export function withoutStrays(rows: readonly Row[], all: readonly Row[]): Row[] {
  const isApart = rows.length < FEW_ROWS && rows.length < all.length;
  const others = isApart ? all : rows;
  const count = new Map<ColumnSpec, number>();
  for (const { cells } of others) for (const { spec } of cells) count.set(spec, (count.get(spec) ?? 0) + 1);
  const usual = [...count].filter(([, times]) => times >= 0.6 * others.length).map(([spec]) => spec);
  const exclusive = exclusiveUnit(others, usual);
  const numbers = usual.find(isNumbering);
  const numbering = isApart ? numbers : undefined;
  const numbered = rows.filter(({ cells }) => cells.some(({ spec }) => spec === numbers));
  const isFarFromNumbers = farFrom(numbered);
  return rows.filter(({ cells }, i) => {
    const specs = cells.map(({ spec }) => spec);
    const score = cells.reduce((sum, cell) => sum + cell.score, 0) / cells.length;
    const shared = specs.filter((spec) => usual.includes(spec)).length;
    const isEither = exclusive !== undefined && measuresOf(cells, exclusive) === 1;
    const isLike = shared >= 0.6 * usual.length || (isEither && shared + 1 >= 0.6 * (usual.length + 1));
    if (numbers && isFarFromNumbers(rows[i]!)) return false;
    return isLike && score >= (isApart ? 0.7 : 0.5) && (!numbering || specs.includes(numbering));
  });
}

/** The unit of columns that exclude each other, such as living and auxiliary area: most rows have one of them, and few the same one. */
function exclusiveUnit(rows: readonly Row[], usual: readonly ColumnSpec[]): string | undefined {
  const units = new Set(rows.flatMap(({ cells }) => cells.flatMap(({ spec }) => spec.unit ?? [])));
  return [...units].find(
    (unit) =>
      !usual.some((spec) => spec.unit === unit) &&
      rows.filter(({ cells }) => measuresOf(cells, unit) === 1).length >= 0.6 * rows.length,
  );
}

const measuresOf = (cells: readonly ReadCell[], unit: string): number =>
  cells.filter(({ spec }) => spec.unit === unit).length;

/** Whether a row is further from the nearest of `rows` than these from each other. */
function farFrom(rows: readonly Row[]): (row: Row) => boolean {
  const ys = rows.map(({ y }) => y).sort((a, b) => a - b);
  let [above, below] = [-1, 0];
  const pitches = ys.map((y) => {
    while (y - ys[above + 1]! > SAME_LINE) above++;
    while (ys[below]! - y <= SAME_LINE) below++;
    return Math.min(y - (ys[above] ?? -Infinity), (ys[below] ?? Infinity) - y);
  });
  // The limits of a range are exclusive.
  const reach = MAX_PITCHES * median(pitches) + 1e-6;
  const near = createRangeIndex(rows, ({ y }) => y);
  return ({ y }) => rows.length >= FEW_ROWS && near(y - reach, y + reach).length === 0;
}

// Chosen.
const MAX_PITCHES = 2.5;
