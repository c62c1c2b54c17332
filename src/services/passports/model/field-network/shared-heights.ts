import { findCell } from '../fields/blocks.ts';
import type { Sheet } from '../fields/page-tokens.ts';
import type { ReadCell } from '../fields/table-repairs.ts';
import type { Row } from './room-columns.ts';

/** Gives a height that stands once, in a ruled cell beside several rows, to each of these rows. */
export function withSharedHeights(rows: readonly Row[], rules: Pick<Sheet, 'horizontal' | 'vertical'>): Row[] {
  const shared = rows.flatMap(({ cells }) =>
    cells.flatMap((cell): { cell: ReadCell; y0: number; y1: number }[] => {
      const place = cell.spec.unit === 'm' ? findCell(cell.tokens[0]!, rules) : undefined;
      const beside = place ? rows.filter(({ y }) => y > place.y0 && y < place.y1) : [];
      const isOnly = beside.filter((row) => row.cells.some(({ spec }) => spec === cell.spec)).length === 1;
      return place && beside.length > 1 && isOnly ? [{ cell, y0: place.y0, y1: place.y1 }] : [];
    }),
  );
  if (shared.length === 0) return [...rows];
  return rows.map((row) => {
    const missing = shared.filter(
      ({ cell, y0, y1 }) => row.y > y0 && row.y < y1 && !row.cells.some(({ spec }) => spec === cell.spec),
    );
    return { ...row, cells: [...row.cells, ...missing.map(({ cell }) => cell)] };
  });
}
