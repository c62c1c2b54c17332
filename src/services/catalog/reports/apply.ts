import type { Transaction } from '../../../base/db.ts';
import { lockRecords } from '../records/write.ts';
import type { Action } from './report.ts';

const VISIBILITY_ACTIONS: readonly Action[] = ['delete', 'hide', 'restore'];

export const affectsVisibility = (action: Action) => VISIBILITY_ACTIONS.includes(action);

/** Waits for the lock of `lockRecords`. A missing record is hidden when indexed. */
export async function applyDecisions(tx: Transaction, recordId: string): Promise<void> {
  await lockRecords(tx);
  await tx.query('update catalog_records set hidden = catalog_hidden(record_id) where record_id = $1', [recordId]);
}
