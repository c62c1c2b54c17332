import type { Exported } from '../search/found.ts';
import { csv } from './csv.ts';
import { jsonl } from './jsonl.ts';
import { workbook } from './workbook.ts';

/** How records are taken away. Each is made as it is read, a few records at a time. */
export interface Format {
  readonly mediaType: string;
  /** Of the file's name. */
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
