import { type Cell, xlsx } from '../../../base/xlsx/xlsx.ts';
import type { ExportedRecord } from '../search/search-types.ts';
import { COLUMNS, exportBody } from './columns.ts';
import { csv } from './csv.ts';

/** `bytes` streams: it holds a few records at a time. */
export interface Format {
  readonly mediaType: string;
  /** File name extension. */
  readonly extension: string;
  readonly bytes: (records: AsyncIterable<ExportedRecord>) => AsyncIterable<Buffer>;
}

export const FORMATS = {
  xlsx: {
    mediaType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    extension: 'xlsx',
    bytes: workbook,
  },
  csv: { mediaType: 'text/csv; charset=utf-8; header=present', extension: 'csv', bytes: csv },
  jsonl: { mediaType: 'application/jsonl; charset=utf-8', extension: 'jsonl', bytes: jsonl },
} as const satisfies Record<string, Format>;

export type FormatName = keyof typeof FORMATS;

async function* jsonl(records: AsyncIterable<ExportedRecord>): AsyncGenerator<Buffer, void, undefined> {
  for await (const record of records) yield Buffer.from(`${JSON.stringify(exportBody(record))}\n`);
}

function workbook(records: AsyncIterable<ExportedRecord>): AsyncGenerator<Buffer, void, undefined> {
  return xlsx([
    {
      name: 'Catalog',
      header: COLUMNS.map(({ name }) => name),
      widths: COLUMNS.map(({ width }) => width),
      rows: rowsOf(records),
    },
  ]);
}

async function* rowsOf(records: AsyncIterable<ExportedRecord>): AsyncGenerator<readonly Cell[], void, undefined> {
  for await (const record of records) yield COLUMNS.map(({ cell }) => cell(record));
}
