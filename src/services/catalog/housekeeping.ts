import { openReplies } from '../replies.ts';
import type { TidyHouse } from '../service.ts';
import { openRecords } from './records/records.ts';
import type { Own } from './settings.ts';

/** Deletes expired idempotency responses, expired records and what they leave behind. */
export async function tidy({ house, own, signal }: { house: TidyHouse; own: Own; signal: AbortSignal }): Promise<void> {
  await openReplies(house.db, 'catalog').tidy();
  await openRecords(house).tidy(signal, { retentionDays: own.retentionDays });
}
