import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../log.ts';

/** Uploads that were not answered, and so may lie in the storage though nobody knows of them. */
export interface TakenBack {
  /** Removes the file of this key as soon as the storage can be asked again. */
  add(key: string): void;
  /** Gives up what is not removed yet, and says in the log which keys these are. */
  close(): Promise<void>;
}

/** The first wait is longer than the storage goes unasked after it could not be reached. */
const FIRST_WAIT_MS = 1200;
const LONGEST_WAIT_MS = 60_000;
/** What is more is not remembered: a storage that is away for hours must not fill the memory. */
const MOST_KEYS = 10_000;

const longer = (waitMs: number) => Math.min(waitMs * 2, LONGEST_WAIT_MS);

/** Takes uploads back one after the other, by `remove`, waiting twice as long after each time that it fails. */
export function takeBack(remove: (key: string, signal: AbortSignal) => Promise<void>, log: Log): TakenBack {
  const keys = new Set<string>();
  const over = new AbortController();
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    for (let waitMs = FIRST_WAIT_MS; keys.size > 0 && !over.signal.aborted; waitMs = longer(waitMs)) {
      // A process that has nothing else to do need not wait for it.
      await delay(waitMs, undefined, { signal: over.signal, ref: false }).catch(() => {});
      await removeAll().catch(() => {});
    }
    running = undefined;
  }

  async function removeAll(): Promise<void> {
    for (const key of keys) {
      over.signal.throwIfAborted();
      await remove(key, over.signal);
      keys.delete(key);
    }
  }

  return {
    add(key) {
      if (over.signal.aborted || keys.size === MOST_KEYS) return;
      keys.add(key);
      running ??= run();
    },
    async close() {
      over.abort();
      await running;
      if (keys.size === 0) return;
      log.warn(
        { keys: [...keys] },
        'uploads that the storage of files did not answer may lie there, and nobody knows of them',
      );
    },
  };
}
