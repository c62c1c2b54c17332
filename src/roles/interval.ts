import type { Log } from '../base/log.ts';

/**
 * Calls `run` every `ms` and on `now`, one call at a time. `stop` waits for the running call. Errors are logged as failed
 * heartbeats.
 */
export function startInterval(
  ms: number,
  run: () => Promise<unknown>,
  log: Log,
): { now(): void; stop(): Promise<void> } {
  let busy = false;
  let running = Promise.resolve();
  let again = false;
  const now = () => {
    again = busy;
    if (busy) return;
    busy = true;
    running = run()
      .then(() => {})
      .catch((err) => log.warn({ err }, 'the heartbeat failed'))
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
