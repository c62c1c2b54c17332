import { createSignal } from '../base/loop.ts';
import { finishedHint } from './hints.ts';
import type { TaskStore } from './store.ts';
import { isFinished, type Task } from './task.ts';

/** Resolves with the task when it is finished, after `ms`, or when `signal` aborts; undefined for an unknown task. */
export async function waitForEnd(
  tasks: Pick<TaskStore, 'read' | 'onHint'>,
  service: string,
  id: string,
  { ms, signal }: { ms: number; signal: AbortSignal },
): Promise<Task | undefined> {
  const finished = createSignal();
  // Not `AbortSignal.any`, which would leak: `signal` lives as long as the process.
  const stopped = new AbortController();
  const stop = () => {
    stopped.abort();
    finished.notify();
  };
  const timer = setTimeout(stop, ms);
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  tasks.onHint(finishedHint(id), finished.notify, stopped.signal);
  try {
    for (;;) {
      const task = await tasks.read(service, id);
      if (!task || isFinished(task) || stopped.signal.aborted) return task;
      await finished.wait();
    }
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
    stopped.abort();
  }
}
