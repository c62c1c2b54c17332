import type { DeliveryOutcome, DueDelivery } from '../tasks/store.ts';

const FAILURES_TO_OPEN = 20;
const WINDOW_MS = 3_600_000;
/** Bounds the entries, because clients choose the origins; the oldest entries are dropped. */
const MAX_ENTRIES = 10_000;

/** After 20 consecutive failures within an hour, postpones the first attempt of each new delivery to that origin once. */
export function createCircuitBreaker(now: () => number = Date.now) {
  const origins = new Map<string, { failures: number; since: number }>();
  const deferred = new Set<string>();
  const isExpired = ({ since }: { since: number }) => now() - since > WINDOW_MS;
  return {
    /** Number of remembered origins and deliveries. */
    size: () => origins.size + deferred.size,
    shouldDefer({ id, origin, attempt }: Pick<DueDelivery, 'id' | 'origin' | 'attempt'>): boolean {
      if (attempt > 1 || deferred.delete(id)) return false;
      const seen = origins.get(origin);
      if (!seen || seen.failures < FAILURES_TO_OPEN || isExpired(seen)) return false;
      bound(deferred.add(id));
      return true;
    },
    record(origin: string, state: DeliveryOutcome['state']): void {
      if (state === 'postponed') return;
      for (const [oldest, seen] of origins) {
        if (!isExpired(seen)) break;
        origins.delete(oldest);
      }
      const seen = origins.get(origin);
      if (state === 'delivered') origins.delete(origin);
      else if (seen) seen.failures++;
      else bound(origins.set(origin, { failures: 1, since: now() }));
    },
  };
}

/** Drops the oldest entry; sets and maps keep insertion order. */
function bound(entries: Set<string> | Map<string, unknown>): void {
  if (entries.size > MAX_ENTRIES) entries.delete(entries.keys().next().value!);
}
