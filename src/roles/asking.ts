/** Since when somebody with a clock of his own has been asked in vain. */
export interface Asking {
  /**
   * To be called before each try: when it was first tried since the last answer, by the clock of whoever answers.
   * `undefined` until he has answered once: nobody knows his clock.
   */
  since(): Date | undefined;
  /** He has answered the latest try, at this time of his. */
  answered(at: Date): void;
}

/**
 * Only tries that got no answer count as his silence, not the time in which nobody asked: whoever was paused between two
 * tries has not been left without an answer.
 */
export function openAsking(now: () => number = () => performance.now()): Asking {
  let known: { readonly his: number; readonly ours: number } | undefined;
  let first: Date | undefined;
  let triedAt = 0;
  return {
    since() {
      triedAt = now();
      first ??= known && new Date(known.his + triedAt - known.ours);
      return first;
    },
    answered(at) {
      known = { his: at.getTime(), ours: triedAt };
      first = undefined;
    },
  };
}
