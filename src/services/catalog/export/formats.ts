import { type Cell, xlsx } from '../../../base/xlsx/xlsx.ts';
import type { Exported } from '../search/found.ts';
import { bodyOf, COLUMNS } from './columns.ts';
import { csv } from './csv.ts';

/** `bytes` streams: it holds a few records at a time. */
export interface Format {
  readonly mediaType: string;
  /** File name extension. */
  readonly ending: string;
  readonly bytes: (records: AsyncIterable<Exported>) => AsyncIterable<Buffer>;
}

export const FORMATS = {
  xlsx: {
    mediaType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    ending: 'xlsx',
    bytes: workbook,
  },
  csv: { mediaType: 'text/csv; charset=utf-8; header=present', ending: 'csv', bytes: csv },
  jsonl: { mediaType: 'application/jsonl; charset=utf-8', ending: 'jsonl', bytes: jsonl },
} as const satisfies Record<string, Format>;

export type FormatName = keyof typeof FORMATS;

async function* jsonl(records: AsyncIterable<Exported>): AsyncGenerator<Buffer, void, undefined> {
  for await (const record of records) yield Buffer.from(`${JSON.stringify(bodyOf(record))}\n`);
}

function workbook(records: AsyncIterable<Exported>): AsyncGenerator<Buffer, void, undefined> {
  return xlsx([
    {
      name: 'Catalog',
      header: COLUMNS.map(({ name }) => name),
      widths: COLUMNS.map(({ width }) => width),
      rows: rowsOf(records),
    },
  ]);
}

async function* rowsOf(records: AsyncIterable<Exported>): AsyncGenerator<readonly Cell[], void, undefined> {
  for await (const record of records) yield COLUMNS.map(({ cell }) => cell(record));
}
