import { tooManyReports } from '../refusals.ts';

/** Lets so many through at a time; the others wait, who came first goes first. */
export interface Turns {
  /**
   * Answers when it is one's turn, with what must be called at its end. Throws the signal's reason once that aborts, and
   * `REPORT_UNAVAILABLE` where as many wait already as may.
   */
  take(signal: AbortSignal): Promise<() => void>;
}

export function openTurns({ atOnce, waiting: mostWaiting }: { atOnce: number; waiting: number }): Turns {
  const waiting: (() => void)[] = [];
  let taken = 0;

  /** To who waits longest it goes as it is: nobody who comes now can take it in between. */
  function leave(): void {
    const next = waiting.shift();
    if (next === undefined) taken--;
    else next();
  }

  return {
    async take(signal) {
      signal.throwIfAborted();
      if (taken < atOnce) {
        taken++;
        return leave;
      }
      if (waiting.length >= mostWaiting) throw tooManyReports();
      await new Promise<void>((resolve, reject) => {
        const giveUp = () => {
          waiting.splice(waiting.indexOf(go), 1);
          reject(signal.reason as Error);
        };
        const go = () => {
          signal.removeEventListener('abort', giveUp);
          resolve();
        };
        signal.addEventListener('abort', giveUp, { once: true });
        waiting.push(go);
      });
      return leave;
    },
  };
}
