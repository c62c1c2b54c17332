import { openReplies } from '../replies.ts';
import type { TidyHouse } from '../service.ts';
import { openRecords } from './records/records.ts';
import type { Own } from './settings.ts';

/** Deletes expired idempotency responses, expired records and what they leave behind. */
export async function tidy({
  context,
  settings,
  signal,
}: {
  context: TidyHouse;
  settings: Own;
  signal: AbortSignal;
}): Promise<void> {
  await openReplies(context.db, 'catalog').tidy();
  await openRecords(context).tidy(signal, { retentionDays: settings.retentionDays });
}
