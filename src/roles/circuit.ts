import type { DeliveryOutcome, DueDelivery } from '../tasks/store.ts';

const FAILURES_TO_OPEN = 20;
const MEMORY_MS = 3_600_000;

/**
 * Protects a receiver that fails again and again, and ourselves: after 20 failures in a row within an hour, the first
 * attempt of each new delivery there is put off once. No delivery is ever dropped for it.
 */
export function createCircuit(now: () => number = Date.now) {
  const origins = new Map<string, { failures: number; since: number }>();
  const putOff = new Set<string>();
  return {
    putsOff({ id, origin, attempt }: Pick<DueDelivery, 'id' | 'origin' | 'attempt'>): boolean {
      if (attempt > 1 || putOff.delete(id)) return false;
      const seen = origins.get(origin);
      if (!seen || seen.failures < FAILURES_TO_OPEN || now() - seen.since > MEMORY_MS) return false;
      putOff.add(id);
      return true;
    },
    note(origin: string, state: DeliveryOutcome['state']): void {
      if (state === 'postponed') return;
      const seen = origins.get(origin);
      if (state === 'delivered') origins.delete(origin);
      else if (!seen || now() - seen.since > MEMORY_MS) origins.set(origin, { failures: 1, since: now() });
      else seen.failures++;
    },
  };
}
