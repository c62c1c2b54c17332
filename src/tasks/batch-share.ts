export type BatchShare = ReturnType<typeof createBatchShare>;

/**
 * Guarantees batch tasks a share of the claims of this process: a claim takes batch tasks first once the claims since the
 * last one have earned a task. Without waiting batch tasks it takes realtime tasks, and nothing is saved up.
 */
export function createBatchShare(percent: number) {
  const credits = new Map<string, number>();
  return {
    isDue: (service: string): boolean => (credits.get(service) ?? 0) >= 1,
    /** `claims` tasks were claimed, `batchFirst` of them batch tasks that came before realtime tasks. */
    count(service: string, claims: number, batchFirst: number): void {
      const credit = (credits.get(service) ?? 0) + (claims * percent) / 100 - batchFirst;
      credits.set(service, Math.min(credit, 1));
    },
  };
}
