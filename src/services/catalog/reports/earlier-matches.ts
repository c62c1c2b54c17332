import type { Transaction } from '../../../base/db.ts';
import { noteEarlierMatches } from '../alerts/find-matches.ts';
import { lockRecords } from '../records/write.ts';

/**
 * Runs before each change of a report. Requires `lockAuditTrail`, which setting an alert takes too: without alerts, reports
 * need not wait for the writers of records.
 */
export async function noteMatchesBeforeReport(tx: Transaction, recordId: string): Promise<void> {
  const { rowCount } = await tx.query(ANY_ALERT);
  if (rowCount === 0) return;
  await lockRecords(tx);
  await noteEarlierMatches(tx, [recordId]);
}

const ANY_ALERT = { name: 'catalog-any-alert', text: 'select from catalog_alerts limit 1' };
