import type { ChildProcess } from 'node:child_process';
import type { Log } from '../base/log.ts';
import type { TaskStore } from '../tasks/store.ts';

/** What a worker tells its supervisor once it is ready: who it is, in the leases that it will hold. */
export interface WorkerReady {
  readonly loaded: string;
  readonly worker?: string;
}

/**
 * Gives back what a worker held as soon as its process has ended otherwise than in order: whoever started it need not wait
 * for its leases to know that it is dead. Nobody waits for this, and where it fails, the leases run out.
 */
export function releaseWhenLost(
  child: ChildProcess,
  needs: { service: string; tasks: Pick<TaskStore, 'release' | 'hint'>; maxAttempts: number; log: Log },
): ChildProcess {
  const { service, tasks, maxAttempts, log } = needs;
  let worker: string | undefined;
  child.on('message', (message) => {
    if (typeof message === 'object' && 'worker' in message) worker = (message as WorkerReady).worker;
  });
  const release = async (id: string) => {
    const released = await tasks.release(id, maxAttempts);
    if (released === 0) return;
    tasks.hint(`waiting:${service}`);
    log.info({ service, worker: id, released }, 'tasks of a lost worker went back to the queue');
  };
  // Not `exit`: what it has sent before that may still be on its way.
  child.once('close', (code) => {
    if (code === 0 || worker === undefined) return;
    release(worker).catch((err) => log.warn({ err, service }, 'tasks of a lost worker wait for its leases to run out'));
  });
  return child;
}
