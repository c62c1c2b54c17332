import { isUtf8 } from 'node:buffer';
import { pipeline } from 'node:stream/promises';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { CsvError, parse } from 'csv-parse';
import { type Cell, MAX_COLUMNS, tableError } from './table-records.ts';

/** More than a record's longest text and attributes with quotes. */
const MAX_ROW_BYTES = 2 ** 20;
const CHUNK_BYTES = 2 ** 16;

/**
 * Reads at most `most` rows (RFC 4180, UTF-8), separated by commas, semicolons (Excel in locales with decimal commas)
 * or tabs. Throws {@link InvalidInput}.
 */
export async function readCsv(bytes: Buffer, most: number, signal: AbortSignal): Promise<Cell[][]> {
  if (!isUtf8(bytes)) throw tableError('The file is not UTF-8: save it as “CSV UTF-8”');
  const rows: Cell[][] = [];
  const parser = parse({
    bom: true,
    delimiter: delimiterOf(bytes),
    max_record_size: MAX_ROW_BYTES,
    relax_column_count_less: true,
    skip_empty_lines: true,
    // Per row: a mebibyte of commas is a million cells.
    on_record: trimTail,
    to: most,
  });
  try {
    await pipeline(chunks(bytes, signal), parser, async (read: AsyncIterable<string[]>) => {
      for await (const row of read) rows.push(row);
    });
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof CsvError)) throw error;
    const line = typeof error['lines'] === 'number' ? ` at line ${error['lines']}` : '';
    throw tableError(`${MESSAGES[error.code] ?? 'The file is not well-formed CSV'}${line}`);
  }
  return rows;
}

const MESSAGES: Readonly<Record<string, string>> = {
  CSV_MAX_RECORD_SIZE: `A row is larger than ${MAX_ROW_BYTES} bytes`,
  CSV_RECORD_INCONSISTENT_COLUMNS: 'A row has more cells than the header',
  CSV_QUOTE_NOT_CLOSED: 'A quote is not closed',
};

/** Programs write empty cells up to the width of their sheet. */
function trimTail(row: string[]): string[] {
  const cells = row.slice(0, row.findLastIndex((cell) => cell !== '') + 1);
  if (cells.length > MAX_COLUMNS) throw tableError(`A table has at most ${MAX_COLUMNS} columns`);
  return cells;
}

async function* chunks(bytes: Buffer, signal: AbortSignal): AsyncGenerator<Buffer, void, undefined> {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    yield bytes.subarray(at, at + CHUNK_BYTES);
    await yieldToEventLoop();
    signal.throwIfAborted();
  }
}

const DELIMITERS = [',', ';', '\t'];

/** By the first line; field names contain no delimiter. */
function delimiterOf(bytes: Buffer): string {
  const [line = ''] = bytes
    .subarray(0, CHUNK_BYTES)
    .toString('utf8')
    .split(/[\r\n]/, 1);
  const count = (delimiter: string) => line.split(delimiter).length;
  return DELIMITERS.reduce((best, delimiter) => (count(delimiter) > count(best) ? delimiter : best));
}
