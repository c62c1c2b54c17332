import { stringify } from 'csv-stringify/sync';
import type { Cell } from './xlsx/xlsx.ts';

/** RFC 4180, in UTF-8 with a byte order mark for Excel. Texts are never formulas. */
export async function* csvTable(
  header: readonly string[],
  rows: AsyncIterable<readonly Cell[]>,
): AsyncGenerator<Buffer, void, undefined> {
  yield Buffer.from(`\uFEFF${line(header)}`);
  for await (const row of rows) yield Buffer.from(line(row.map(formatCell)));
}

const line = (cells: readonly string[]) =>
  stringify([[...cells]], { record_delimiter: '\r\n', quoted_match: /[\r\n]/ });

function formatCell(cell: Cell): string {
  if (cell === null) return '';
  if (cell instanceof Date) return cell.toISOString();
  if (typeof cell === 'object') return cell.day;
  return typeof cell === 'string' ? escapeFormula(cell) : String(cell);
}

/**
 * Spreadsheets evaluate cells that start with these characters. In locales with decimal commas Excel splits cells at
 * semicolons and ignores the quotes around line breaks, so one text can contain several cell starts.
 */
const escapeFormula = (text: string) => (NUMBER.test(text) ? text : text.replace(FORMULA_STARTS, "'"));
const FORMULA_STARTS = /^(?=[\t\r])|(?=[=+\-@])(?<=(?:^|[;\t\r\n])"*)/g;
const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;
