import type { ChildProcess } from 'node:child_process';
import type { Log } from '../base/log.ts';
import { sleep } from '../base/loop.ts';
import { OperatorError } from '../base/operator-error.ts';

/** Exit status for invalid configuration; the process is not restarted. */
export const EXIT_CONFIG_ERROR = 2;

/** A process that the supervisor restarts. */
export interface ManagedProcess {
  readonly name: string;
  /** Starts the process, which exits by itself when its parent dies. */
  spawn(): ChildProcess;
  /** Absent: the process always runs. */
  readonly demand?: Demand;
}

export interface Demand {
  /** Resolves when the process is needed. */
  waitUntilNeeded(signal: AbortSignal): Promise<void>;
  /** Resolves when it is no longer needed. */
  waitUntilIdle(signal: AbortSignal): Promise<void>;
}

const FIRST_BACKOFF_MS = 200;
const MAX_BACKOFF_MS = 10_000;
/** A process that ran this long resets the backoff. */
const STABLE_AFTER_MS = 30_000;
/** A graceful stop takes up to 20 s; a process that exceeds this is killed. */
const STOP_TIMEOUT_MS = 30_000;

/**
 * Restarts processes that exit, with exponential backoff, until `signal` aborts; then stops all and waits for them. Rejects
 * when a process exits with `EXIT_CONFIG_ERROR`.
 */
export async function supervise(deps: {
  processes: readonly ManagedProcess[];
  log: Log;
  signal: AbortSignal;
}): Promise<void> {
  const { processes, log, signal } = deps;
  const failed = new AbortController();
  const stop = AbortSignal.any([signal, failed.signal]);
  await Promise.all(processes.map((each) => keepRunning(each, stop, log).catch((error) => failed.abort(error))));
  failed.signal.throwIfAborted();
}

async function keepRunning(managed: ManagedProcess, signal: AbortSignal, log: Log): Promise<void> {
  let restarts = 0;
  while (!signal.aborted) {
    await managed.demand?.waitUntilNeeded(signal);
    if (signal.aborted) return;
    const startedAt = Date.now();
    const idle = new AbortController();
    const exited = new AbortController();
    if (managed.demand)
      void managed.demand.waitUntilIdle(AbortSignal.any([signal, exited.signal])).then(() => idle.abort());
    const exit = await run(managed.spawn(), AbortSignal.any([signal, idle.signal]));
    exited.abort();
    if (signal.aborted) return;
    // No message: the process has printed its own.
    if (exit.code === EXIT_CONFIG_ERROR) throw new OperatorError('');
    if (idle.signal.aborted) continue;
    restarts = Date.now() - startedAt > STABLE_AFTER_MS ? 1 : restarts + 1;
    const backoffMs = Math.min(FIRST_BACKOFF_MS * 2 ** (restarts - 1), MAX_BACKOFF_MS);
    log.warn({ name: managed.name, ...exit, backoffMs }, 'a process exited and will be restarted');
    await sleep(backoffMs, signal);
  }
}

/** Waits until `child` exits; stops it when `signal` aborts, and kills it after `STOP_TIMEOUT_MS`. */
function run(child: ChildProcess, signal: AbortSignal): Promise<{ code: number | null; by: string | null }> {
  return new Promise((resolve) => {
    let killing: NodeJS.Timeout | undefined;
    const stop = () => {
      child.kill('SIGTERM');
      killing = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    };
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    const onEnd = (code: number | null, by: string | null) => {
      signal.removeEventListener('abort', stop);
      clearTimeout(killing);
      resolve({ code, by });
    };
    // Not `exit`: messages may still arrive after it.
    child.once('close', onEnd);
    child.once('error', (error) => onEnd(null, error.message));
  });
}
