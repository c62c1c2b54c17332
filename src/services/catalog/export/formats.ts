import { csvTable } from '../../../base/csv-table.ts';
import { type Cell, xlsx } from '../../../base/xlsx/xlsx.ts';
import { hitBody } from '../search/responses.ts';
import type { ExportedRecord } from '../search/search-types.ts';

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

interface Column {
  readonly name: string;
  /** Characters; for XLSX. */
  readonly width: number;
  readonly cell: (record: ExportedRecord) => Cell;
}

const COLUMNS: readonly Column[] = [
  { name: 'record_id', width: 40, cell: ({ recordId }) => recordId },
  { name: 'service', width: 16, cell: ({ service }) => service },
  { name: 'task_id', width: 30, cell: ({ taskId }) => taskId },
  { name: 'status', width: 10, cell: ({ status }) => status },
  { name: 'created_at', width: 18, cell: ({ createdAt }) => createdAt },
  { name: 'title', width: 40, cell: ({ title }) => title },
  { name: 'surface', width: 14, cell: ({ surface }) => surface },
  { name: 'master', width: 14, cell: ({ master }) => master?.name ?? null },
  { name: 'master_conf', width: 12, cell: ({ master }) => master?.conf ?? null },
  { name: 'defects', width: 30, cell: ({ defects }) => defects.map(({ name, conf }) => `${name} ${conf}`).join(', ') },
  { name: 'top_conf', width: 12, cell: ({ defects }) => defects[0]?.conf ?? null },
  { name: 'open_reports', width: 12, cell: ({ openReports }) => openReports },
  { name: 'hidden', width: 10, cell: ({ hidden }) => hidden },
  { name: 'text', width: 60, cell: ({ text }) => text },
  { name: 'result', width: 60, cell: ({ result }) => JSON.stringify(result) },
  { name: 'project', width: 20, cell: ({ project }) => project },
  { name: 'tags', width: 30, cell: ({ tags }) => (tags.length > 0 ? tags.join(', ') : null) },
];

const exportBody = (record: ExportedRecord) => ({
  ...hitBody(record),
  text: record.text,
  result: record.result,
});

export function csv(records: AsyncIterable<ExportedRecord>): AsyncGenerator<Buffer, void, undefined> {
  const header = COLUMNS.map(({ name }) => name);
  return csvTable(header, rowsOf(records));
}
