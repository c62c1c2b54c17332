import { createIdempotencyStore } from '../shared/idempotency-store.ts';
import type { CleanupContext } from '../shared/service.ts';
import { createRecords } from './records/records.ts';
import type { CatalogSettings } from './settings.ts';

/** Deletes expired idempotency responses, expired records and what they leave behind. */
export async function cleanup(context: CleanupContext, settings: CatalogSettings, signal: AbortSignal): Promise<void> {
  await createIdempotencyStore(context.db, 'catalog').deleteExpired();
  await createRecords(context).cleanup(signal, settings);
}
