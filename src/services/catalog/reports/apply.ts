import type { Transaction } from '../../../base/db.ts';
import { holdRecords } from '../records/write.ts';
import type { Action } from './report.ts';

/** Actions that say whether a record is to be seen. */
const ABOUT_BEING_SEEN: readonly Action[] = ['delete', 'hide', 'restore'];

export const isAboutBeingSeen = (action: Action) => ABOUT_BEING_SEEN.includes(action);

/**
 * Makes a record seen or hidden as the decisions on it say now, once whoever writes records at this moment is done. A
 * record that is not there yet is indexed so later.
 */
export async function applyDecisions(tx: Transaction, recordId: string): Promise<void> {
  await holdRecords(tx);
  await tx.query('update catalog_records set hidden = catalog_hidden(record_id) where record_id = $1', [recordId]);
}
