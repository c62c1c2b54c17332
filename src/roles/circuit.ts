import type { DeliveryOutcome, DueDelivery } from '../tasks/store.ts';

const FAILURES_TO_OPEN = 20;
const MEMORY_MS = 3_600_000;
/** Strangers choose the origins: so many are remembered, and so many deliveries that were put off; the oldest go first. */
const MOST = 10_000;

/**
 * Protects a receiver that fails again and again, and ourselves: after 20 failures in a row within an hour, the first
 * attempt of each new delivery there is put off once. No delivery is ever dropped for it.
 */
export function createCircuit(now: () => number = Date.now) {
  const origins = new Map<string, { failures: number; since: number }>();
  const putOff = new Set<string>();
  const forgotten = ({ since }: { since: number }) => now() - since > MEMORY_MS;
  return {
    /** How much is remembered. */
    size: () => origins.size + putOff.size,
    putsOff({ id, origin, attempt }: Pick<DueDelivery, 'id' | 'origin' | 'attempt'>): boolean {
      if (attempt > 1 || putOff.delete(id)) return false;
      const seen = origins.get(origin);
      if (!seen || seen.failures < FAILURES_TO_OPEN || forgotten(seen)) return false;
      bound(putOff.add(id));
      return true;
    },
    note(origin: string, state: DeliveryOutcome['state']): void {
      if (state === 'postponed') return;
      for (const [oldest, seen] of origins) {
        if (!forgotten(seen)) break;
        origins.delete(oldest);
      }
      const seen = origins.get(origin);
      if (state === 'delivered') origins.delete(origin);
      else if (seen) seen.failures++;
      else bound(origins.set(origin, { failures: 1, since: now() }));
    },
  };
}

/** Sets and maps remember the order in which they were filled. */
function bound(memory: Set<string> | Map<string, unknown>): void {
  if (memory.size > MOST) memory.delete(memory.keys().next().value!);
}
