import { median } from '../../../../base/median.ts';
import { cellAround } from '../field-network/page-graph.ts';
import { type Area, boundingBox, middleX, middleY, type Sheet, type Token } from './page-tokens.ts';

/** The words of a ruled cell, or a run of words without a wide gap. */
export interface Block extends Area {
  readonly sheet: Sheet;
  readonly tokens: readonly Token[];
  readonly cell?: Area;
  /** The blocks of the same line or table row, including this one. */
  readonly row: readonly Block[];
  readonly height: number;
}

/** Splits a page into blocks. */
export function splitBlocks(sheet: Sheet): Block[] {
  const cells: { cell: Area; tokens: Token[] }[] = [];
  const free: Token[] = [];
  for (const token of sheet.tokens) {
    const cell = findCell(token, sheet);
    const known = cell && cells.find((one) => isSamePlace(one.cell, cell));
    if (!cell) free.push(token);
    else if (known) known.tokens.push(token);
    else cells.push({ cell, tokens: [token] });
  }
  const blocks: Block[] = [];
  for (const line of groupLines(free)) {
    const row: Block[] = [];
    for (const run of runsOf(line, MIN_RUN_GAP * letterHeight(line))) row.push(block(sheet, run, row));
    blocks.push(...row);
  }
  blocks.push(...cellBlocks(sheet, cells));
  return blocks.sort((a, b) => a.y0 - b.y0 || a.x0 - b.x0);
}

/** The ruled cell around the middle of a place; undefined unless all four sides are ruled. */
export function findCell(place: Area, rules: Pick<Sheet, 'horizontal' | 'vertical'>): Area | undefined {
  const { left, top, right, bottom } = cellAround(place, rules);
  const isRuled = left !== undefined && top !== undefined && right !== undefined && bottom !== undefined;
  return isRuled ? { x0: left, y0: top, x1: right, y1: bottom } : undefined;
}

/** The ruled cell beside `cell`, of the same column or row. */
export function adjacentCell(
  cell: Area,
  side: 'above' | 'below' | 'right',
  rules: Pick<Sheet, 'horizontal' | 'vertical'>,
): Area | undefined {
  const x = side === 'right' ? cell.x1 + STEP : middleX(cell);
  const y = side === 'right' ? middleY(cell) : side === 'above' ? cell.y0 - STEP : cell.y1 + STEP;
  const next = findCell({ x0: x, x1: x, y0: y, y1: y }, rules);
  const edges = side === 'right' ? (['y0', 'y1'] as const) : (['x0', 'x1'] as const);
  return next && edges.every((edge) => Math.abs(next[edge] - cell[edge]) < NEAR) ? next : undefined;
}

// In points; the pieces of a scanned line differ a little.
const NEAR = 3;
const STEP = 4;

const isSamePlace = (a: Area, b: Area): boolean =>
  (['x0', 'y0', 'x1', 'y1'] as const).every((side) => Math.abs(a[side] - b[side]) < NEAR);

function cellBlocks(sheet: Sheet, cells: { cell: Area; tokens: Token[] }[]): Block[] {
  const blocks = cells.map(({ cell, tokens }) => ({ ...block(sheet, groupLines(tokens).flat(), []), cell }));
  return blocks.map((one) => {
    const { cell } = one;
    const isInRow = ({ cell: other }: { cell: Area }) =>
      Math.min(cell.y1, other.y1) - Math.max(cell.y0, other.y0) > 0.5 * (cell.y1 - cell.y0);
    (one.row as Block[]).push(...blocks.filter(isInRow).sort((a, b) => a.cell.x0 - b.cell.x0));
    return one;
  });
}

const block = (sheet: Sheet, tokens: readonly Token[], row: readonly Block[]): Block => ({
  ...boundingBox(tokens),
  sheet,
  tokens,
  row,
  height: letterHeight(tokens),
});

/** The lines of a page from top to bottom, each from left to right; `minOverlap` is the least share of a token's height. */
export function groupLines<T extends Area>(tokens: readonly T[], minOverlap = 0.4): T[][] {
  // Each token, from the left, joins the line that it continues, so a line may drift vertically.
  const lines: T[][] = [];
  for (const token of [...tokens].sort((a, b) => a.x0 - b.x0)) {
    let best: T[] | undefined;
    let bestOverlap = minOverlap;
    for (const line of lines) {
      const last = line.at(-1)!;
      const shared = Math.min(token.y1, last.y1) - Math.max(token.y0, last.y0);
      const overlap = shared / Math.min(token.y1 - token.y0, last.y1 - last.y0);
      if (overlap > bestOverlap && token.x0 > last.x0 - 1) {
        bestOverlap = overlap;
        best = line;
      }
    }
    if (best) best.push(token);
    else lines.push([token]);
  }
  const top = (line: T[]) => median(line.map(middleY));
  return lines.sort((a, b) => top(a) - top(b));
}

// In letter heights. Spaces are about 0.3, in justified text rarely 1.
const MIN_RUN_GAP = 1.1;

/** The words of a line, from left to right, with a wider space than `most` between two runs. */
export function runsOf<T extends Area>(line: readonly T[], most: number): T[][] {
  const runs: T[][] = [];
  for (const token of line) {
    const last = runs.at(-1);
    if (last && token.x0 - last.at(-1)!.x1 <= most) last.push(token);
    else runs.push([token]);
  }
  return runs;
}

/** The 80th percentile of token heights, because boxes of words without ascenders are lower. */
export function letterHeight(tokens: readonly Area[]): number {
  const sorted = tokens.map(({ y0, y1 }) => y1 - y0).sort((a, b) => a - b);
  return sorted[Math.floor(0.8 * (sorted.length - 1) + 0.5)] ?? 0;
}
