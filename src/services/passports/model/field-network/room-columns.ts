import { median } from '../../../../base/median.ts';
import type { ColumnSpec } from '../../schema/schema.ts';
import { boundingBox, joinText, middleY, type Token } from '../fields/page-tokens.ts';
import type { ReadCell } from '../fields/table-repairs.ts';
import { inReadingOrder } from './group-tokens.ts';
import { parseGroup } from './read-values.ts';

export interface Row {
  readonly cells: readonly ReadCell[];
  readonly x0: number;
  readonly x1: number;
  readonly y: number;
}

/** Chosen: fewer rows show no column. */
export const FEW_ROWS = 3;
/** Of a cell that its column shows. */
export const COLUMN_SCORE = 0.6;

/** The rows of a page that are a part of the table. */
export interface PageRows {
  readonly rows: readonly Row[];
  readonly tokens: readonly Token[];
}

/**
 * The cells, by row, of a numbering that the network found in no row: the leftmost words of all rows of a page, below each
 * other, rising. A page of few rows has it at the place of another page.
 */
export function findNumbers(pages: readonly PageRows[], spec: ColumnSpec): ReadonlyMap<Row, ReadCell> {
  const found = new Map<Row, ReadCell>();
  const rows = pages.flatMap((page) => page.rows);
  if (rows.some(({ cells }) => cells.some((cell) => cell.spec === spec))) return found;
  let left: number | undefined;
  for (const page of [...pages].sort((a, b) => b.rows.length - a.rows.length)) {
    if (page.rows.length < FEW_ROWS && left === undefined) return found;
    const cells = numbersOf(page, spec);
    const firsts = cells.map((cell) => cell.tokens[0]!);
    const edge = left ?? median(firsts.map(({ x0 }) => x0));
    const isColumn = firsts.every(({ x0, y0, y1 }) => Math.abs(x0 - edge) < 2 * (y1 - y0));
    const isRising = cells.every(({ value }, i) => i === 0 || isAfter(String(value), String(cells[i - 1]!.value)));
    if (cells.length < page.rows.length || !isColumn || !isRising) continue;
    left = edge;
    for (const [i, row] of page.rows.entries()) found.set(row, cells[i]!);
  }
  return found;
}

function numbersOf({ rows, tokens }: PageRows, spec: ColumnSpec): ReadCell[] {
  const known = new Set(rows.flatMap(({ cells }) => cells.flatMap((cell) => cell.tokens)));
  return rows.flatMap((row): ReadCell[] => {
    const before = tokens.filter((token) => token.x1 <= row.x0 && isOnLine(token, row));
    // The words of a row beside this one belong to it.
    const left = Math.max(0, ...before.filter((token) => known.has(token)).map(({ x1 }) => x1));
    const line = before.filter(({ x0 }) => x0 >= left).sort((a, b) => a.x0 - b.x0);
    const word = line.filter((token) => token.word === line[0]?.word);
    // Between number and row may stand a floor; words belong to another table.
    const isApart = line.some((token) => !word.includes(token) && /\p{L}/u.test(token.text));
    const read = parseGroup({ tokens: word, score: COLUMN_SCORE, lowest: COLUMN_SCORE }, spec);
    return read && !isApart && NUMBER.test(String(read.value)) ? [{ spec, ...read }] : [];
  });
}

const isAfter = (value: string, last: string): boolean => value.localeCompare(last, 'ru', { numeric: true }) > 0;

/** `7`, `7а`, `1-12`, `G.1`; not `7.9`, an area. */
const NUMBER = /^(?:\p{L}\.?)?\d{1,4}\p{L}?(?:[-/]\d{1,4}\p{L}?)?$/u;

/** The words above the cells of `spec` and above all rows, with the words beside them. */
export function columnHeader(rows: readonly Row[], tokens: readonly Token[], spec: ColumnSpec): string {
  const cells = rows.flatMap((row) => row.cells);
  const column = cells.flatMap((cell) => (cell.spec === spec ? cell.tokens : []));
  if (column.length === 0) return '';
  const { x0, x1 } = boundingBox(column);
  const { y0 } = boundingBox(cells.flatMap((cell) => cell.tokens));
  const height = median(column.map((token) => token.y1 - token.y0));
  const above = tokens.filter((token) => token.y1 < y0 + 1 && y0 - token.y1 < MAX_HEADER * height);
  const header = new Set(above.filter((token) => token.x1 > x0 && token.x0 < x1));
  // Iterating a set includes what is added to it.
  for (const word of header) {
    for (const other of above) {
      const gap = Math.max(other.x0 - word.x1, word.x0 - other.x1);
      if (gap < MAX_SPACE * height && other.y0 < middleY(word) && other.y1 > middleY(word)) header.add(other);
    }
  }
  return joinText(inReadingOrder([...header]));
}

// Chosen. In heights of a word.
const MAX_HEADER = 4;
const MAX_SPACE = 0.8;

/**
 * The left edge of the first column of words that follow the texts of `spec` and belong to no cell, such as the kind of each
 * room: words below each other in most rows, mostly behind a gap. `Infinity` if there is none.
 */
export function foreignColumnAfter(rows: readonly Row[], tokens: readonly Token[], spec: ColumnSpec): number {
  if (rows.length < FEW_ROWS) return Infinity;
  const others = new Set(rows.flatMap(({ cells }) => cells.flatMap((cell) => (cell.spec === spec ? [] : cell.tokens))));
  const words = rows.map((row) => {
    const first = row.cells.find((cell) => cell.spec === spec)?.tokens[0];
    const line = first ? tokens.filter((token) => token.x0 >= first.x0 && isOnLine(token, row)) : [];
    const sorted = line.sort((a, b) => a.x0 - b.x0);
    const end = sorted.findIndex((token) => others.has(token));
    const texts = (end < 0 ? sorted : sorted.slice(0, end)).slice(0, MAX_WORDS);
    // That of capitals and digits; boxes surround the ink.
    const height = Math.max(...texts.map(heightOf));
    return texts.slice(1).map(({ x0 }, i) => ({ x0, height, isApart: x0 - texts[i]!.x1 > GAP * height }));
  });
  const starts = words.flatMap((line) => line.filter(({ isApart }) => isApart).map(({ x0 }) => Math.round(x0)));
  const edges = [...new Set(starts)].sort((a, b) => a - b);
  const edge = edges.find((x) => {
    const below = words.flatMap((line) => line.find(({ x0, height }) => Math.abs(x0 - x) < SAME_EDGE * height) ?? []);
    const apart = below.filter(({ isApart }) => isApart);
    return below.length >= MOST_ROWS * rows.length && apart.length >= 0.5 * rows.length;
  });
  return edge ?? Infinity;
}

// Chosen. In heights of the line; a space of typewriters is one.
const GAP = 1.5;
const SAME_EDGE = 0.3;
const MOST_ROWS = 0.8;
/** Of a line; the time grows with their square. */
const MAX_WORDS = 12;

const heightOf = ({ y0, y1 }: Token) => y1 - y0;
const isOnLine = (token: Token, { y }: Row) => Math.abs(middleY(token) - y) < 0.5 * heightOf(token);
