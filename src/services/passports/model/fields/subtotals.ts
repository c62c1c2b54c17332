import type { ColumnSpec, TableSpec } from '../../schema/schema.ts';
import { isNumbering } from '../../schema/values.ts';

type Row = readonly { readonly spec: ColumnSpec; readonly value: unknown }[];

const TOLERANCE = 0.06;

/**
 * Drops rows without a room number whose area is the sum of the rows above them, since the last such row or of all, or of the numbered
 * rows below them: the subtotals of floors, whatever they are called.
 */
export function withoutSubtotals<R extends Row>(rows: readonly R[], { columns }: TableSpec): R[] {
  const area = columns.find(({ type }) => type === 'number');
  const isNumbered = (row: Row) => row.some(({ spec }) => isNumbering(spec));
  if (!area || rows.filter(isNumbered).length < 0.5 * rows.length) return [...rows];
  const areaOf = (row: Row): number => {
    const value = row.find(({ spec }) => spec === area)?.value;
    return typeof value === 'number' ? value : Number.NaN;
  };
  let [part, all, count, total] = [0, 0, 0, 0];
  return rows.filter((row, i) => {
    const value = areaOf(row);
    if (Number.isNaN(value)) return true;
    const isSum = (sum: number) => Math.abs(value - sum) < TOLERANCE;
    const isSumBelow = () => {
      const end = rows.findIndex((other, at) => at > i && !isNumbered(other));
      const below = rows.slice(i + 1, end < 0 ? undefined : end).map(areaOf);
      return below.length > 1 && isSum(below.reduce((sum, one) => sum + one, 0));
    };
    if (!isNumbered(row) && ((count > 1 && isSum(part)) || (total > 1 && isSum(all)) || isSumBelow())) {
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
