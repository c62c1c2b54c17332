import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../log.ts';

/** Longer than `UNREACHABLE_MS` of the requests. */
const FIRST_WAIT_MS = 1200;
const MAX_WAIT_MS = 60_000;
/** Further keys are dropped: a long outage must not fill the memory. */
const MAX_KEYS = 10_000;

const doubled = (waitMs: number) => Math.min(waitMs * 2, MAX_WAIT_MS);

/**
 * Deletes uploads without a response from the storage, which may exist there without a row that refers to them. Calls
 * `remove` for one key after another, with exponential backoff.
 */
export function createOrphanCleanup(remove: (key: string, signal: AbortSignal) => Promise<void>, log: Log) {
  const keys = new Set<string>();
  const closed = new AbortController();
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    for (let waitMs = FIRST_WAIT_MS; keys.size > 0 && !closed.signal.aborted; waitMs = doubled(waitMs)) {
      // Not referenced, so that it does not keep the process alive.
      await delay(waitMs, undefined, { signal: closed.signal, ref: false }).catch(() => {});
      await removeAll().catch(() => {});
    }
    running = undefined;
  }

  async function removeAll(): Promise<void> {
    for (const key of keys) {
      closed.signal.throwIfAborted();
      await remove(key, closed.signal);
      keys.delete(key);
    }
  }

  return {
    add(key: string): void {
      if (closed.signal.aborted || keys.size === MAX_KEYS) return;
      keys.add(key);
      running ??= run();
    },
    /** Stops, and logs the keys that are not deleted yet. */
    async close(): Promise<void> {
      closed.abort();
      await running;
      if (keys.size === 0) return;
      log.warn({ keys: [...keys] }, 'the file storage may hold orphaned uploads whose requests got no response');
    },
  };
}
