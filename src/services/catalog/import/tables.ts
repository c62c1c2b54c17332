import type { JsonObject } from '../../../base/json.ts';
import { tooManyRecords } from '../refusals.ts';
import { readCsv } from './csv.ts';
import { MOST_RECORDS } from './read-record.ts';
import { readFirstSheet } from './sheet.ts';
import { recordsOf } from './table.ts';

export type TableType = 'csv' | 'xlsx';

/** Throws {@link InvalidInput} for an invalid table, 413 for too many rows. */
export async function readTable(type: TableType, bytes: Buffer, signal: AbortSignal): Promise<JsonObject[]> {
  // The header and one row more than allowed.
  const most = MOST_RECORDS + 2;
  const read = type === 'csv' ? readCsv : readFirstSheet;
  const records = recordsOf(await read(bytes, most, signal));
  if (records.length > MOST_RECORDS) throw tooManyRecords(MOST_RECORDS);
  return records;
}
