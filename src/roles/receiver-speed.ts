/** A receiver that takes longer than this on average is slow; chosen: quick receivers answer well within it. */
export const SLOW_MS = 1000;
/** The weight of the latest attempt in the moving average. */
const WEIGHT = 0.3;
/** Clients choose the origins: the memory is bounded, and the origin that was heard of longest ago goes first. */
const MOST = 10_000;

export type Speed = 'quick' | 'slow' | 'unknown';

/** How fast receivers answer, by origin, as a moving average in this process's memory. */
export function createReceiverSpeed() {
  const averages = new Map<string, number>();
  return {
    record(origin: string, ms: number): void {
      const before = averages.get(origin);
      averages.delete(origin); // to the end of the order in which the map is walked
      averages.set(origin, before === undefined ? ms : before + WEIGHT * (ms - before));
      if (averages.size > MOST) averages.delete(averages.keys().next().value!);
    },
    of(origin: string): Speed {
      const average = averages.get(origin);
      if (average === undefined) return 'unknown';
      return average > SLOW_MS ? 'slow' : 'quick';
    },
  };
}

export type ReceiverSpeed = ReturnType<typeof createReceiverSpeed>;
