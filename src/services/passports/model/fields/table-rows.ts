import { median } from '../../../../base/median.ts';
import { findCell, groupLines } from './blocks.ts';
import type { Sheet, Token } from './page-tokens.ts';
import { isInColumn } from './table-columns.ts';
import type { Header } from './table-headers.ts';

/** Splits tokens into rows by ruled lines; a cell with several lines of numbers becomes several rows. */
export function splitRuledRows(
  sheet: Sheet,
  tokens: readonly Token[],
  header: Header,
): { rows: Token[][]; ended: boolean } {
  const columns = [...header.columns, ...header.unknownColumns];
  const left = Math.min(...columns.map(({ x0 }) => x0));
  const right = Math.max(...columns.map(({ x1 }) => x1));
  const rows = new Map<number, { top: number; bottom: number; tokens: Token[] }>();
  const outside: Token[] = [];
  for (const token of tokens) {
    const cell = findCell(token, sheet);
    // A cell across all columns is a heading.
    const isHeading = columns.length > 1 && cell !== undefined && cell.x0 < left + 4 && cell.x1 > right - 4;
    if (!cell || isHeading || cell.x1 < left + 2 || cell.x0 > right - 2) {
      outside.push(token);
      continue;
    }
    const key = Math.round(cell.y0);
    const known = [...rows.values()].find((row) => Math.abs(row.top - cell.y0) < 4);
    if (known) {
      known.tokens.push(token);
      known.bottom = Math.max(known.bottom, cell.y1);
    } else rows.set(key, { top: cell.y0, bottom: cell.y1, tokens: [token] });
  }
  const found: Token[][] = [];
  let bottom: number | undefined;
  for (const row of [...rows.values()].sort((a, b) => a.top - b.top)) {
    if (bottom !== undefined && row.top > bottom + 8) break;
    bottom = Math.max(bottom ?? 0, row.bottom);
    const lines = groupLines(row.tokens);
    const numbers = header.columns.find(({ spec }) => spec.type === 'number');
    const numberLines = lines.filter(
      (line) => numbers && line.some((token) => isInColumn(token, numbers) && /\d/u.test(token.text)),
    );
    if (numberLines.length > 1) found.push(...lines);
    else found.push(lines.flat());
  }
  const ended = outside.some((token) => token.y0 > (bottom ?? 0) && token.y1 < sheet.height * 0.94);
  return { rows: found, ended };
}

/** Collects lines below the header, up to the first that does not look like a row. */
export function splitUnruledRows(tokens: readonly Token[], header: Header): { rows: Token[][]; ended: boolean } {
  const rows: Token[][] = [];
  let bottom = header.bottom;
  let pitch = Number.POSITIVE_INFINITY;
  for (const line of groupLines(tokens)) {
    const top = Math.min(...line.map(({ y0 }) => y0));
    const height = median(line.map(({ y0, y1 }) => y1 - y0));
    const gap = top - bottom;
    const first = rows.length === 0;
    if (header.bottom > 0 && gap > (first ? 4 : Math.max(2.5, pitch + 1.2)) * height) return { rows, ended: true };
    const numbers = line.filter(({ text }) => /^[\d.,]+$/u.test(text)).length;
    const width = Math.max(...line.map(({ x1 }) => x1)) - Math.min(...line.map(({ x0 }) => x0));
    // A sentence across the columns is not a row.
    if (numbers === 0 && width > 0.6 * (header.x1 - header.x0) && line.length > 4) return { rows, ended: true };
    if (!first && numbers === 0 && gap > 1.6 * height) return { rows, ended: true };
    if (!first) pitch = Math.min(pitch, Math.max(0, gap / height));
    rows.push(line);
    bottom = Math.max(...line.map(({ y1 }) => y1));
  }
  return { rows, ended: false };
}
