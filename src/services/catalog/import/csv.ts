import { isUtf8 } from 'node:buffer';
import { pipeline } from 'node:stream/promises';
import { setImmediate as turn } from 'node:timers/promises';
import { CsvError, parse } from 'csv-parse';
import { type Cell, MOST_COLUMNS, notATable } from './table.ts';

/** A record's texts, its attributes, and the quotes around them. */
const LONGEST_ROW = 2 ** 20;
const PIECE = 2 ** 16;

/**
 * The rows of a CSV file (RFC 4180) in UTF-8, at most `most` of them; columns are parted by commas, semicolons (as Excel
 * writes where commas are decimal) or tabs, whichever the header has. Throws {@link InvalidInput} for what is no CSV.
 */
export async function readCsv(bytes: Buffer, most: number, signal: AbortSignal): Promise<Cell[][]> {
  if (!isUtf8(bytes)) throw notATable('The file is not UTF-8: save it as “CSV UTF-8”');
  const rows: Cell[][] = [];
  const parser = parse({
    bom: true,
    delimiter: delimiterOf(bytes),
    max_record_size: LONGEST_ROW,
    // Cells that are empty to the end of a row are often not written.
    relax_column_count_less: true,
    skip_empty_lines: true,
    // Row by row: a mebibyte of commas is a million cells.
    on_record: withoutTail,
    to: most,
  });
  try {
    await pipeline(pieces(bytes, signal), parser, async (read: AsyncIterable<string[]>) => {
      for await (const row of read) rows.push(row);
    });
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof CsvError)) throw error;
    const line = typeof error['lines'] === 'number' ? ` at line ${error['lines']}` : '';
    throw notATable(`${COMPLAINTS[error.code] ?? 'The file is not well-formed CSV'}${line}`);
  }
  return rows;
}

const COMPLAINTS: Readonly<Record<string, string>> = {
  CSV_MAX_RECORD_SIZE: `A row is larger than ${LONGEST_ROW} bytes`,
  CSV_RECORD_INCONSISTENT_COLUMNS: 'A row has more cells than the header',
  CSV_QUOTE_NOT_CLOSED: 'A quote is not closed',
};

/** A row without the empty cells behind its last value, which programs write to the width of their sheet. */
function withoutTail(row: string[]): string[] {
  const cells = row.slice(0, row.findLastIndex((cell) => cell !== '') + 1);
  if (cells.length > MOST_COLUMNS) throw notATable(`A table has at most ${MOST_COLUMNS} columns`);
  return cells;
}

/** Others have their turn between two of them. */
async function* pieces(bytes: Buffer, signal: AbortSignal): AsyncGenerator<Buffer, void, undefined> {
  for (let at = 0; at < bytes.length; at += PIECE) {
    yield bytes.subarray(at, at + PIECE);
    await turn();
    signal.throwIfAborted();
  }
}

const DELIMITERS = [',', ';', '\t'];

/** The one that the first line has most of; names of fields have none of them. */
function delimiterOf(bytes: Buffer): string {
  const [line = ''] = bytes
    .subarray(0, PIECE)
    .toString('utf8')
    .split(/[\r\n]/, 1);
  const count = (delimiter: string) => line.split(delimiter).length;
  return DELIMITERS.reduce((best, delimiter) => (count(delimiter) > count(best) ? delimiter : best));
}
