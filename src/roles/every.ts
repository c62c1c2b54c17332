import type { Log } from '../base/log.ts';

/** Calls `run` every `ms` and when told to, never two at a time. What it throws is a heartbeat that did not arrive. */
export function every(ms: number, run: () => Promise<unknown>, log: Log): { now(): void; stop(): void } {
  let busy = false;
  let again = false;
  const now = () => {
    again = busy;
    if (busy) return;
    busy = true;
    run()
      .catch((err) => log.warn({ err }, 'the heartbeat did not reach the store'))
      .finally(() => {
        busy = false;
        if (again) now();
      });
  };
  const timer = setInterval(() => {
    if (!busy) now();
  }, ms);
  return { now, stop: () => clearInterval(timer) };
}
