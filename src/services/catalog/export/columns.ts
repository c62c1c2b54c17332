import type { Cell } from '../../../base/xlsx/xlsx.ts';
import { hitBody } from '../search/responses.ts';
import type { ExportedRecord } from '../search/search-types.ts';

export interface Column {
  readonly name: string;
  /** Characters; for XLSX. */
  readonly width: number;
  readonly cell: (record: ExportedRecord) => Cell;
}

export const COLUMNS: readonly Column[] = [
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
];

export const exportBody = (record: ExportedRecord) => ({
  ...hitBody(record),
  text: record.text,
  result: record.result,
});
