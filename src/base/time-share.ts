export type TimeShare = ReturnType<typeof createTimeShare>;

/** `leastMs`: minimum time between the starts of two runs; `mostMs`: maximum pause after a run. */
export function createTimeShare(
  share: number,
  { leastMs: minIntervalMs, mostMs: maxPauseMs }: { leastMs: number; mostMs: number },
  now = () => performance.now(),
) {
  let dueAt = Number.NEGATIVE_INFINITY;
  return {
    /** False during a run. */
    isDue: (): boolean => now() >= dueAt,
    /** Runs `work` and schedules the next run by its duration. */
    async spend<T>(work: () => Promise<T>): Promise<T> {
      const startedAt = now();
      dueAt = Number.POSITIVE_INFINITY;
      try {
        return await work();
      } finally {
        const endedAt = now();
        dueAt = Math.max(startedAt + minIntervalMs, endedAt + Math.min((endedAt - startedAt) / share, maxPauseMs));
      }
    },
    reset(): void {
      dueAt = Number.NEGATIVE_INFINITY;
    },
  };
}
