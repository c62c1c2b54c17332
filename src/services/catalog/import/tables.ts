import type { JsonObject } from '../../../base/json.ts';
import { tooManyRecords } from '../refusals.ts';
import { readCsv } from './csv.ts';
import { MOST_RECORDS } from './read-record.ts';
import { readFirstSheet } from './sheet.ts';
import { recordsOf } from './table.ts';

/** What comes as a table, with a header row that names fields. */
export type TableType = 'csv' | 'xlsx';

/**
 * The rows of a table, each as a record would come in JSON. Throws {@link InvalidInput} for what is no such table, and
 * the refusal of too many records where it has more of them than are taken.
 */
export async function readTable(type: TableType, bytes: Buffer, signal: AbortSignal): Promise<JsonObject[]> {
  // The header, and one row more than are taken.
  const most = MOST_RECORDS + 2;
  const read = type === 'csv' ? readCsv : readFirstSheet;
  const records = recordsOf(await read(bytes, most, signal));
  if (records.length > MOST_RECORDS) throw tooManyRecords(MOST_RECORDS);
  return records;
}
