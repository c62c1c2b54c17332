import type { Log } from '../base/log.ts';

/**
 * Calls `run` every `ms` and when told to, never two at a time; `stop` waits for the one that is under way. What it throws
 * is a heartbeat that did not arrive.
 */
export function every(ms: number, run: () => Promise<unknown>, log: Log): { now(): void; stop(): Promise<void> } {
  let busy = false;
  let running = Promise.resolve();
  let again = false;
  const now = () => {
    again = busy;
    if (busy) return;
    busy = true;
    running = run()
      .then(() => {})
      .catch((err) => log.warn({ err }, 'the heartbeat did not reach the store'))
      .finally(() => {
        busy = false;
        if (again) now();
      });
  };
  const timer = setInterval(() => {
    if (!busy) now();
  }, ms);
  return {
    now,
    async stop() {
      clearInterval(timer);
      again = false;
      await running;
    },
  };
}
