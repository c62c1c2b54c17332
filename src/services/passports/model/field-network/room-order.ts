import { isNumbering } from '../../schema/values.ts';
import { countSteps } from '../fields/numbering-steps.ts';
import type { Token } from '../fields/page-tokens.ts';
import { inReadingOrder } from './group-tokens.ts';
import type { Row } from './room-columns.ts';

// In points.
export const SAME_LINE = 2;

/**
 * Groups of columns from left to right, in each from top to bottom; rows beside each other by their numbers if these are
 * consecutive; cards line by line, unless more numbers follow one another down the columns; rooms in sentences in reading order.
 */
export function inPrintedOrder(rows: readonly Row[]): Row[] {
  const groups: { x0: number; x1: number; rows: Row[] }[] = [];
  for (const row of [...rows].sort((a, b) => a.x0 - b.x0)) {
    const group = groups.find(({ x1 }) => x1 > row.x0 + 0.2 * (row.x1 - row.x0));
    if (group) {
      group.x1 = Math.max(group.x1, row.x1);
      group.rows.push(row);
    } else groups.push({ x0: row.x0, x1: row.x1, rows: [row] });
  }
  const numbers = rows.map(({ cells }) => Number(numberIn(cells)));
  const lowest = Math.min(...numbers);
  const isConsecutive = new Set(numbers).size === rows.length && Math.max(...numbers) - lowest === rows.length - 1;
  const ys = rows.map(({ y }) => y).sort((a, b) => a - b);
  const isOneColumn = groups.length === 1 && ys.every((y, i) => i === 0 || y - ys[i - 1]! > SAME_LINE);
  if (isConsecutive && !isOneColumn) return rows.map((_, i) => rows[numbers.indexOf(lowest + i)]!);
  if (areInProse(rows)) {
    const byFirst = new Map(rows.map((row) => [firstToken(row), row]));
    return inReadingOrder([...byFirst.keys()]).map((token) => byFirst.get(token)!);
  }
  const down = groups.flatMap((group) => group.rows.sort((a, b) => a.y - b.y));
  const across = lineByLine(rows);
  const [stepsAcross, stepsDown] = [across, down].map((order) =>
    countSteps(order.map(({ cells }) => numberIn(cells))),
  ) as [number, number];
  return stepsAcross > stepsDown || (stepsAcross === stepsDown && areCards(rows)) ? across : down;
}

/** The cells of most rows stand on several lines. */
function areCards(rows: readonly Row[]): boolean {
  const cards = rows.filter(({ cells }) => {
    const firsts = cells.map(({ tokens }) => inReadingOrder(tokens)[0]!);
    return Math.max(...firsts.map(({ y0 }) => y0)) > Math.min(...firsts.map(({ y1 }) => y1));
  });
  return cards.length >= 0.8 * rows.length;
}

function lineByLine(rows: readonly Row[]): Row[] {
  const firsts = rows.map((row) => ({ row, token: firstToken(row) })).sort((a, b) => a.token.y0 - b.token.y0);
  const lines: (typeof firsts)[] = [];
  for (const first of firsts) {
    const line = lines.at(-1);
    if (line && first.token.y0 < line[0]!.token.y1) line.push(first);
    else lines.push([first]);
  }
  return lines.flatMap((line) => line.sort((a, b) => a.row.x0 - b.row.x0).map(({ row }) => row));
}

const numberIn = (cells: Row['cells']) => cells.find(({ spec }) => isNumbering(spec))?.value;

const firstToken = ({ cells }: Row): Token => inReadingOrder(cells.flatMap(({ tokens }) => tokens))[0]!;

/** In a table, most rows begin below another one. */
function areInProse(rows: readonly Row[]): boolean {
  const firsts = rows.map(firstToken);
  const isAligned = (one: Token) =>
    firsts.some((other) => other !== one && Math.abs(other.x0 - one.x0) < SAME_EDGE * (one.y1 - one.y0));
  return rows.length >= MIN_ROWS && firsts.filter(isAligned).length < 0.5 * rows.length;
}

// Chosen. In heights of a word.
const SAME_EDGE = 0.7;
// Fewer rows show no table.
const MIN_ROWS = 4;
