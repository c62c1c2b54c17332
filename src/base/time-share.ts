export interface TimeShare {
  /** False during a run. */
  isDue(): boolean;
  /** Runs `work` and schedules the next run by its duration. */
  spend<T>(work: () => Promise<T>): Promise<T>;
  reset(): void;
}

/** `leastMs`: minimum time between the starts of two runs; `mostMs`: maximum pause after a run. */
export function createTimeShare(
  share: number,
  { leastMs: minIntervalMs, mostMs: maxPauseMs }: { leastMs: number; mostMs: number },
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
        dueAt = Math.max(startedAt + minIntervalMs, endedAt + Math.min((endedAt - startedAt) / share, maxPauseMs));
      }
    },
    reset() {
      dueAt = Number.NEGATIVE_INFINITY;
    },
  };
}
