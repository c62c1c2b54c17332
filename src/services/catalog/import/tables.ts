import type { JsonObject } from '../../../base/json.ts';
import { tooManyRecords } from '../api-errors.ts';
import { readCsv } from './csv.ts';
import { MAX_RECORDS } from './record-validation.ts';
import { tableRecords } from './table-records.ts';
import { readFirstSheet } from './xlsx.ts';

export type TableType = 'csv' | 'xlsx';

/** Throws {@link InvalidInput} for an invalid table, 413 for too many rows. */
export async function readTable(type: TableType, bytes: Buffer, signal: AbortSignal): Promise<JsonObject[]> {
  // The header and one row more than allowed.
  const most = MAX_RECORDS + 2;
  const read = type === 'csv' ? readCsv : readFirstSheet;
  const records = tableRecords(await read(bytes, most, signal));
  if (records.length > MAX_RECORDS) throw tooManyRecords(MAX_RECORDS);
  return records;
}
