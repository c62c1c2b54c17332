import { CLEAR_LINE } from './terminal.ts';

/** Many requests may wait at the same time, or one again and again. */
const EVERY_MS = 60_000;

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
