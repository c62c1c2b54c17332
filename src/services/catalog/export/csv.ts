import { stringify } from 'csv-stringify/sync';
import type { Cell } from '../../../base/xlsx/xlsx.ts';
import type { Exported } from '../search/found.ts';
import { COLUMNS } from './columns.ts';

/**
 * Comma-separated values (RFC 4180), in UTF-8 with the mark by which Excel knows it. Text that a spreadsheet would take
 * for a formula begins with an apostrophe.
 */
export async function* csv(records: AsyncIterable<Exported>): AsyncGenerator<Buffer, void, undefined> {
  yield Buffer.from(`\uFEFF${line(COLUMNS.map(({ name }) => name))}`);
  for await (const record of records) yield Buffer.from(line(COLUMNS.map(({ cell }) => written(cell(record)))));
}

const line = (cells: readonly string[]) =>
  stringify([[...cells]], { record_delimiter: '\r\n', quoted_match: /[\r\n]/ });

function written(cell: Cell): string {
  if (cell === null) return '';
  if (cell instanceof Date) return cell.toISOString();
  if (typeof cell === 'object') return cell.day;
  return typeof cell === 'string' ? harmless(cell) : String(cell);
}

/**
 * Programs that open such files compute what begins with one of these signs; a number they may. Where numbers have decimal
 * commas, as in Russia, Excel takes semicolons for the ends of cells, and then quotes do not hold lines together either:
 * so a text may have many beginnings.
 */
const harmless = (text: string) => (NUMBER.test(text) ? text : text.replace(BEGINNINGS, "'"));
const BEGINNINGS = /^(?=[\t\r])|(?=[=+\-@])(?<=(?:^|[;\t\r\n])"*)/g;
const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;
