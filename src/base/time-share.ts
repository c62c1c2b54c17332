/** Limits periodic work to a share of the time. */
export interface TimeShare {
  /** Whether the next run is due; false during a run. */
  isDue(): boolean;
  /** Runs `work` and schedules the next run by its duration. */
  spend<T>(work: () => Promise<T>): Promise<T>;
  /** Makes the next run due now. */
  reset(): void;
}

/** `leastMs`: minimum time between the starts of two runs; `mostMs`: maximum pause after a run. */
export function createTimeShare(
  share: number,
  { leastMs, mostMs }: { leastMs: number; mostMs: number },
  now = () => performance.now(),
): TimeShare {
  let dueAt = Number.NEGATIVE_INFINITY;
  return {
    isDue: () => now() >= dueAt,
    async spend(work) {
      const startedAt = now();
      dueAt = Number.POSITIVE_INFINITY;
      try {
        return await work();
      } finally {
        const endedAt = now();
        dueAt = Math.max(startedAt + leastMs, endedAt + Math.min((endedAt - startedAt) / share, mostMs));
      }
    },
    reset() {
      dueAt = Number.NEGATIVE_INFINITY;
    },
  };
}
