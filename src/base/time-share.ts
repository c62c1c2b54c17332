/** Limits work that is useful and can become expensive to a share of the time. */
export interface TimeShare {
  /** Whether enough time has passed since the last run; false while one is under way. */
  isDue(): boolean;
  /** Runs `work`, which is due again after `leastMs`, or later if it took long. */
  spend<T>(work: () => Promise<T>): Promise<T>;
  /** Makes it due now. */
  reset(): void;
}

/** `leastMs` and `mostMs`: from the beginning of one run, and from its end, to the next. */
export function createTimeShare(
  share: number,
  { leastMs, mostMs }: { leastMs: number; mostMs: number },
  now = () => performance.now(),
): TimeShare {
  let dueAt = Number.NEGATIVE_INFINITY;
  return {
    isDue: () => now() >= dueAt,
    async spend(work) {
      const begun = now();
      dueAt = Number.POSITIVE_INFINITY;
      try {
        return await work();
      } finally {
        const ended = now();
        dueAt = Math.max(begun + leastMs, ended + Math.min((ended - begun) / share, mostMs));
      }
    },
    reset() {
      dueAt = Number.NEGATIVE_INFINITY;
    },
  };
}
