import { CLEAR_LINE } from './terminal.ts';

/** Many requests may wait at the same time, or one again and again. */
const EVERY_MS = 60_000;

/** The time that requests of a command spend waiting for a limit; waits at the same time count once. */
export function createLimitWaits() {
  let [totalMs, untilMs] = [0, Number.NEGATIVE_INFINITY];
  return {
    add(seconds: number): void {
      const nowMs = performance.now();
      const endMs = nowMs + 1000 * seconds;
      totalMs += Math.max(0, endMs - Math.max(nowMs, untilMs));
      untilMs = Math.max(untilMs, endMs);
    },
    /** Until now. */
    seconds: (): number => (totalMs - Math.max(0, untilMs - performance.now())) / 1000,
  };
}

export type LimitWaits = ReturnType<typeof createLimitWaits>;

/** For the client of a command: says on standard error that requests wait for the rate limit. */
export function createRateLimitNotice(): (seconds: number) => void {
  let shownMs = Number.NEGATIVE_INFINITY;
  return (seconds) => {
    const nowMs = performance.now();
    if (nowMs - shownMs < EVERY_MS) return;
    shownMs = nowMs;
    const progressLine = process.stderr.isTTY ? CLEAR_LINE : '';
    console.error(`${progressLine}Limit of requests or waiting tasks reached, continuing in ${Math.ceil(seconds)} s.`);
  };
}
