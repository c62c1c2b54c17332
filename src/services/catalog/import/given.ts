import type { Detail } from '../../../http/details.ts';
import type { ImportedRecord } from '../records/records.ts';

/** What came of reading the records of one request. */
export interface Given {
  readonly records: readonly ImportedRecord[];
  readonly failed: readonly Failed[];
}

/** A record that was not taken, and why. */
export interface Failed {
  /** Its place among the records of the request, from 1; a table's header is not counted. */
  readonly row: number;
  /** Where it says so. */
  readonly record_id?: string;
  readonly detail: readonly Detail[];
}
