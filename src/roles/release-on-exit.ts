import type { ChildProcess } from 'node:child_process';
import type { Log } from '../base/log.ts';
import type { TaskStore } from '../tasks/store.ts';

/** A worker's message to its supervisor when it is ready; `worker` is its id in leases. */
export interface WorkerReady {
  readonly loaded: string;
  readonly worker?: string;
}

/** Releases a worker's tasks as soon as its process has failed. If that fails, its leases expire. */
export function releaseOnExit(
  child: ChildProcess,
  deps: { service: string; tasks: Pick<TaskStore, 'release' | 'hint'>; maxAttempts: number; log: Log },
): ChildProcess {
  const { service, tasks, maxAttempts, log } = deps;
  let worker: string | undefined;
  child.on('message', (message) => {
    if (typeof message === 'object' && 'worker' in message) worker = (message as WorkerReady).worker;
  });
  const release = async (id: string, exit: object) => {
    const released = await tasks.release(id, maxAttempts);
    if (released === 0) return;
    tasks.hint(`waiting:${service}`);
    log.warn({ service, worker: id, released, reason: 'WORKER_LOST', ...exit }, 'tasks of a lost worker were requeued');
  };
  // Not `exit`: messages may still arrive after it.
  child.once('close', (code, exitSignal) => {
    if (code === 0 || worker === undefined) return;
    release(worker, code === null ? { exitSignal } : { code }).catch((err) =>
      log.warn({ err, service }, 'releasing tasks of a lost worker failed; its leases will expire'),
    );
  });
  return child;
}
