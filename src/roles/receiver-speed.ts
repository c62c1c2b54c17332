/** A receiver with a longer average is slow. Chosen. */
export const SLOW_MS = 1000;
/** Weight of the latest attempt in the moving average. */
const WEIGHT = 0.3;
/** Bounds the memory, because clients choose the origins; drops the least recently updated one. */
const MAX_ORIGINS = 10_000;

export type Speed = 'quick' | 'slow' | 'unknown';

/** Moving average of response times by origin, in memory. */
export function createReceiverSpeed() {
  const averages = new Map<string, number>();
  return {
    record(origin: string, ms: number): void {
      const before = averages.get(origin);
      averages.delete(origin); // moves it to the end of the iteration order
      averages.set(origin, before === undefined ? ms : before + WEIGHT * (ms - before));
      if (averages.size > MAX_ORIGINS) averages.delete(averages.keys().next().value!);
    },
    of(origin: string): Speed {
      const average = averages.get(origin);
      if (average === undefined) return 'unknown';
      return average > SLOW_MS ? 'slow' : 'quick';
    },
  };
}

export type ReceiverSpeed = ReturnType<typeof createReceiverSpeed>;
