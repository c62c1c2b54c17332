import type { ColumnSpec, TableSpec } from '../../schema/schema.ts';
import { isNumbering } from '../../schema/values.ts';

type Row = readonly { readonly spec: ColumnSpec; readonly value: unknown }[];

const TOLERANCE = 0.06;

/**
 * Drops rows without a room number whose area is the sum of the rows above them, since the last such row or of all: the
 * subtotals of floors, whatever they are called.
 */
export function withoutSubtotals<R extends Row>(rows: readonly R[], { columns }: TableSpec): R[] {
  const area = columns.find(({ type }) => type === 'number');
  const isNumbered = (row: Row) => row.some(({ spec }) => isNumbering(spec));
  if (!area || rows.filter(isNumbered).length < 0.5 * rows.length) return [...rows];
  let [part, all, count, total] = [0, 0, 0, 0];
  return rows.filter((row) => {
    const value = row.find(({ spec }) => spec === area)?.value;
    if (typeof value !== 'number') return true;
    const isSum = (sum: number) => Math.abs(value - sum) < TOLERANCE;
    if (!isNumbered(row) && ((count > 1 && isSum(part)) || (total > 1 && isSum(all)))) {
      [part, count] = [0, 0];
      return false;
    }
    part += value;
    all += value;
    count++;
    total++;
    return true;
  });
}
