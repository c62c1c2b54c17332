/**
 * Tracks since when another system has not responded, by that system's clock. Only failed attempts count as an outage: time
 * without attempts (a paused process) does not.
 */
export function createOutageClock(now: () => number = () => performance.now()) {
  let offset: { readonly remote: number; readonly local: number } | undefined;
  let firstFailure: Date | undefined;
  let attemptedAt = 0;
  return {
    /**
     * Call before each attempt. Returns the time of the first attempt since the last response; undefined before the first
     * response, when the remote clock is unknown.
     */
    beginAttempt(): Date | undefined {
      attemptedAt = now();
      firstFailure ??= offset && new Date(offset.remote + attemptedAt - offset.local);
      return firstFailure;
    },
    /** The latest attempt was answered, at this time of the remote clock. */
    recordResponse(at: Date): void {
      offset = { remote: at.getTime(), local: attemptedAt };
      firstFailure = undefined;
    },
  };
}
