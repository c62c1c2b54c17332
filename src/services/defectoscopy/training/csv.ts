import { CsvError, parse } from 'csv-parse/sync';
import { OperatorError } from '../../../base/operator-error.ts';

/** Parses CSV (RFC 4180; byte order mark and any line ends allowed) into objects keyed by the header row. */
export function parseCsv(text: string): Record<string, string>[] {
  const [header = [], ...rows] = readRows(text);
  const names = header.map((name) => name.toLowerCase());
  return rows.map((row) => Object.fromEntries(names.map((name, i) => [name, row[i] ?? ''])));
}

function readRows(text: string): string[][] {
  try {
    return parse(text, {
      bom: true,
      trim: true,
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      skip_records_with_empty_values: true,
    });
  } catch (error) {
    throw error instanceof CsvError ? new OperatorError(`labels.csv is not valid CSV: ${error.message}.`) : error;
  }
}
