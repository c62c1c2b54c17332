import { median } from '../../../../base/median.ts';
import { buildGrid, findCell } from './grid.ts';
import { boundingBox, type Line, type Sheet, type Token } from './page-tokens.ts';

/** The words of a ruled cell, or a run of words without a wide gap. */
export interface Block extends Line {
  readonly sheet: Sheet;
  readonly tokens: readonly Token[];
  readonly cell?: Line;
  /** The blocks of the same line or table row, including this one. */
  readonly row: readonly Block[];
  readonly height: number;
  /** Whether the block is on a form blank. */
  readonly filled: boolean;
}

/** Splits a page into blocks. */
export function splitBlocks(sheet: Sheet): Block[] {
  const grid = buildGrid(sheet);
  const cells = new Map<string, { cell: Line; tokens: Token[] }>();
  const free: Token[] = [];
  for (const token of sheet.tokens) {
    const cell = findCell(grid, token);
    if (!cell) {
      free.push(token);
      continue;
    }
    const key = [cell.x0, cell.y0, cell.x1, cell.y1].map(Math.round).join(' ');
    const known = cells.get(key);
    if (known) known.tokens.push(token);
    else cells.set(key, { cell, tokens: [token] });
  }
  // A cell alone in its row is ordinary text with rules above and below.
  for (const [key, { cell, tokens }] of cells) {
    const hasNeighbour = [...cells.values()].some(
      ({ cell: other }) => other !== cell && sharedHeight(cell, other) > 0.5 * height(other),
    );
    if (hasNeighbour) continue;
    free.push(...tokens);
    cells.delete(key);
  }
  const blocks: Block[] = [];
  for (const line of groupLines(free)) {
    const row: Block[] = [];
    for (const run of runsOf(line, sheet)) row.push(block(sheet, run.tokens, row, run.filled));
    blocks.push(...row);
  }
  blocks.push(...cellBlocks(sheet, [...cells.values()]));
  return blocks.sort((a, b) => a.y0 - b.y0 || a.x0 - b.x0);
}

const height = ({ y0, y1 }: Line): number => y1 - y0;
const sharedHeight = (a: Line, b: Line): number => Math.min(a.y1, b.y1) - Math.max(a.y0, b.y0);

function cellBlocks(sheet: Sheet, cells: { cell: Line; tokens: Token[] }[]): Block[] {
  const blocks = cells.map(({ cell, tokens }) => ({
    ...block(sheet, groupLines(tokens).flat(), [], false),
    cell,
  }));
  return blocks.map((one) => {
    const { cell } = one;
    const row = blocks.filter(({ cell: other }) => sharedHeight(cell, other) > 0.5 * height(other));
    (one.row as Block[]).push(...row.sort((a, b) => a.cell.x0 - b.cell.x0));
    return one;
  });
}

const block = (sheet: Sheet, tokens: readonly Token[], row: readonly Block[], filled: boolean): Block => ({
  ...boundingBox(tokens),
  sheet,
  tokens,
  row,
  height: letterHeight(tokens),
  filled,
});

/** Groups tokens into lines. */
export function groupLines(tokens: readonly Token[]): Token[][] {
  // Each token, from the left, joins the line that it continues, so a line may drift vertically.
  const lines: Token[][] = [];
  for (const token of [...tokens].sort((a, b) => a.x0 - b.x0)) {
    let best: Token[] | undefined;
    let bestOverlap = 0.4;
    for (const line of lines) {
      const last = lastTall(line);
      const shared = Math.min(token.y1, last.y1) - Math.max(token.y0, last.y0);
      const overlap = shared / Math.min(token.y1 - token.y0, last.y1 - last.y0);
      const isPunctuation = !/[\p{L}\d]/u.test(token.text);
      if (
        overlap > bestOverlap &&
        (isPunctuation || isLevel(token, last) || isLevel(last, token)) &&
        token.x0 > line.at(-1)!.x0 - 1
      ) {
        bestOverlap = overlap;
        best = line;
      }
    }
    if (best) best.push(token);
    else lines.push([token]);
  }
  const top = (line: Token[]) => median(line.map(({ y0, y1 }) => (y0 + y1) / 2));
  return lines.sort((a, b) => top(a) - top(b));
}

const isLevel = (token: Line, { y0, y1 }: Line): boolean => {
  const middle = (token.y0 + token.y1) / 2;
  return y0 < middle && middle < y1;
};

/** Skips dashes and commas, whose vertical position is unreliable. */
function lastTall(line: readonly Token[]): Token {
  const tallest = Math.max(...line.map(({ y0, y1 }) => y1 - y0));
  return line.findLast(({ y0, y1 }) => y1 - y0 > 0.6 * tallest) ?? line.at(-1)!;
}

// In letter heights. Spaces are about 0.3, in justified text rarely 1.
const MIN_RUN_GAP = 1.1;

function runsOf(line: readonly Token[], sheet: Sheet): { tokens: Token[]; filled: boolean }[] {
  const runs: { tokens: Token[]; filled: boolean }[] = [];
  const height = letterHeight(line);
  const foot = Math.max(...line.map(({ y1 }) => y1));
  let under: Line | undefined;
  for (const token of line) {
    const run = runs.at(-1);
    const level = { ...token, y0: foot - height, y1: foot };
    // A line below a label's colon is a row separator.
    const beneath = /\p{L}{2}:$/u.test(token.text) ? undefined : lineUnder(level, sheet);
    const gap = run ? token.x0 - run.tokens.at(-1)!.x1 : 0;
    const startsRun =
      !run ||
      gap > MIN_RUN_GAP * height ||
      (beneath !== under && endsBetween([beneath, under], run.tokens.at(-1)!, token)) ||
      ruledBetween(run.tokens.at(-1)!, token, sheet) ||
      blankBetween(run.tokens.at(-1)!, token, sheet);
    if (startsRun) runs.push({ tokens: [token], filled: beneath !== undefined });
    else run.tokens.push(token);
    under = beneath;
  }
  return runs;
}

/** Whether a line begins or ends between the words, as a form blank does. */
function endsBetween(lines: readonly (Line | undefined)[], left: Token, right: Token): boolean {
  const tolerance = 0.8 * Math.max(left.y1 - left.y0, right.y1 - right.y0);
  const isBetween = (x: number) => x > left.x1 - tolerance && x < right.x0 + tolerance;
  return lines.some((line) => line && (isBetween(line.x0) || isBetween(line.x1)));
}

function lineUnder(token: Line, { horizontal, blanks }: Sheet): Line | undefined {
  const height = token.y1 - token.y0;
  const middle = (token.x0 + token.x1) / 2;
  const under = ({ x0, x1, y1 }: Line) =>
    x0 - 2 <= middle && middle <= x1 + 2 && y1 > token.y1 - 0.35 * height && y1 < token.y1 + 0.45 * height;
  return horizontal.find(under) ?? blanks.find(under);
}

const ruledBetween = (left: Token, right: Token, { vertical }: Sheet): boolean =>
  vertical.some(
    ({ x0, y0, y1 }) =>
      x0 > left.x1 - 3 && x0 < right.x0 + 3 && y0 < (left.y0 + left.y1) / 2 && y1 > (left.y0 + left.y1) / 2,
  );

const blankBetween = (left: Token, right: Token, { blanks }: Sheet): boolean =>
  blanks.some(
    ({ x0, x1, y0, y1 }) =>
      x0 >= left.x1 - 2 && x1 <= right.x0 + 2 && Math.min(y1, left.y1) - Math.max(y0, left.y0) > 0,
  );

/** The 80th percentile of token heights, because boxes of words without ascenders are lower. */
export function letterHeight(tokens: readonly Line[]): number {
  const sorted = tokens.map(({ y0, y1 }) => y1 - y0).sort((a, b) => a - b);
  return sorted[Math.floor(0.8 * (sorted.length - 1) + 0.5)] ?? 0;
}
