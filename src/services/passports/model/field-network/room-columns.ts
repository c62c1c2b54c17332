import { median } from '../../../../base/median.ts';
import type { ColumnSpec } from '../../schema/schema.ts';
import { middleY, type Token } from '../fields/page-tokens.ts';
import type { ReadCell } from '../fields/table-repairs.ts';
import { parseGroup } from './read-values.ts';

export interface Row {
  readonly cells: readonly ReadCell[];
  readonly x0: number;
  readonly x1: number;
  readonly y: number;
}

// Chosen. Fewer rows show no column.
const FEW_ROWS = 3;
/** Of a cell that its column shows. */
export const COLUMN_SCORE = 0.6;

/**
 * The cells of a numbering that the network found in no row: the leftmost words of all rows, below each other, all different.
 * Else the result is empty.
 */
export function findNumbers(rows: readonly Row[], tokens: readonly Token[], spec: ColumnSpec): ReadCell[] {
  const isNumbered = rows.some(({ cells }) => cells.some((cell) => cell.spec === spec));
  if (rows.length < FEW_ROWS || isNumbered) return [];
  const known = new Set(rows.flatMap(({ cells }) => cells.flatMap((cell) => cell.tokens)));
  const found = rows.flatMap((row): ReadCell[] => {
    const line = tokens.filter((token) => token.x1 <= row.x0 && isOnLine(token, row));
    // Those of a row beside this one belong to it.
    const left = Math.max(0, ...line.filter((token) => known.has(token)).map(({ x1 }) => x1));
    const first = line.filter(({ x0 }) => x0 >= left).sort((a, b) => a.x0 - b.x0)[0];
    const word = line.filter((token) => token.word === first?.word && token.x0 >= left);
    const read = parseGroup({ tokens: word, score: COLUMN_SCORE, lowest: COLUMN_SCORE }, spec);
    return read && NUMBER.test(String(read.value)) ? [{ spec, ...read }] : [];
  });
  const firsts = found.map((cell) => cell.tokens[0]!);
  const left = median(firsts.map(({ x0 }) => x0));
  const isColumn = firsts.every(({ x0, y0, y1 }) => Math.abs(x0 - left) < 2 * (y1 - y0));
  const isNumbering = new Set(found.map(({ value }) => value)).size === rows.length;
  return isColumn && isNumbering ? found : [];
}

/** `7`, `7а`, `1-12`, `101`. */
const NUMBER = /^\p{L}?\d{1,4}\p{L}?(?:[-./]\d{1,4}\p{L}?)?$/u;

/**
 * The left edges of the columns of words that follow the texts of `spec` and belong to no cell, such as the kind of each room:
 * words below each other in most rows, mostly behind a gap.
 */
export function findForeignColumns(rows: readonly Row[], tokens: readonly Token[], spec: ColumnSpec): number[] {
  if (rows.length < FEW_ROWS) return [];
  const others = new Set(rows.flatMap(({ cells }) => cells.flatMap((cell) => (cell.spec === spec ? [] : cell.tokens))));
  const words = rows.map((row) => {
    const first = row.cells.find((cell) => cell.spec === spec)?.tokens[0];
    const line = first ? tokens.filter((token) => token.x0 >= first.x0 && isOnLine(token, row)) : [];
    const sorted = line.sort((a, b) => a.x0 - b.x0);
    const end = sorted.findIndex((token) => others.has(token));
    const texts = end < 0 ? sorted : sorted.slice(0, end);
    return texts.slice(1).map((token, i) => ({ token, gap: token.x0 - texts[i]!.x1 }));
  });
  const starts = words.flat().filter(({ token, gap }) => gap > GAP * heightOf(token));
  return starts
    .map(({ token }) => token.x0)
    .filter((x) => {
      const below = words.flatMap(
        (line) => line.find(({ token }) => Math.abs(token.x0 - x) < SAME_EDGE * heightOf(token)) ?? [],
      );
      const apart = below.filter(({ token, gap }) => gap > GAP * heightOf(token));
      return below.length >= MOST_ROWS * rows.length && apart.length >= 0.5 * rows.length;
    });
}

// Chosen. In heights of a word; a space is a quarter to a third.
const GAP = 1;
const SAME_EDGE = 0.3;
const MOST_ROWS = 0.8;

const heightOf = ({ y0, y1 }: Token) => y1 - y0;
const isOnLine = (token: Token, { y }: Row) => Math.abs(middleY(token) - y) < 0.5 * heightOf(token);
