import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Shared by a thread and its parent: a thread must not be terminated while it loads onnxruntime, or opens or runs a network, which
 * crashes the process.
 */
export type RunLock = Int32Array<SharedArrayBuffer>;

const RUNNING = 0;
const ENDING = 1;

/** A new thread loads onnxruntime and opens its network, until the end of its first run. */
export function createRunLock(): RunLock {
  const lock = new Int32Array(new SharedArrayBuffer(8));
  lock[RUNNING] = 1;
  return lock;
}

/** In the thread: calls `run`, or throws if the thread is about to be terminated. */
export async function runLocked<Result>(lock: RunLock, run: () => Promise<Result>): Promise<Result> {
  Atomics.store(lock, RUNNING, 1);
  try {
    if (Atomics.load(lock, ENDING) === 1) throw new Error('The thread ends.');
    return await run();
  } finally {
    Atomics.store(lock, RUNNING, 0);
  }
}

/** In the parent: waits for the end of a run. None starts afterwards. */
export async function preventRuns(lock: RunLock): Promise<void> {
  Atomics.store(lock, ENDING, 1);
  while (Atomics.load(lock, RUNNING) === 1) await sleep(POLL_MS);
}

/** In the parent, when the thread has ended, also during a run. */
export function markEnded(lock: RunLock): void {
  Atomics.store(lock, RUNNING, 0);
}

const POLL_MS = 5;
