import { createSignal } from '../base/loop.ts';
import { finishedHint } from './hints.ts';
import type { TaskStore } from './store.ts';
import { isFinished, type Task } from './task.ts';

/**
 * Resolves with the task when it is finished, after `ms`, or when one of `signals` aborts; undefined for an unknown task.
 * Calls `onUnfinished` at least once a second while it waits.
 */
export async function waitForEnd(
  tasks: Pick<TaskStore, 'read' | 'onHint'>,
  service: string,
  id: string,
  options: {
    readonly ms: number;
    readonly signals: readonly AbortSignal[];
    readonly onUnfinished?: (task: Task) => Promise<void>;
  },
): Promise<Task | undefined> {
  const { ms, signals, onUnfinished } = options;
  const finished = createSignal();
  // Not `AbortSignal.any`, which would leak: signals may live as long as the process.
  const stopped = new AbortController();
  const stop = () => {
    stopped.abort();
    finished.notify();
  };
  const timer = setTimeout(stop, ms);
  for (const signal of signals) signal.addEventListener('abort', stop);
  if (signals.some((signal) => signal.aborted)) stop();
  tasks.onHint(finishedHint(id), finished.notify, stopped.signal);
  try {
    for (;;) {
      const task = await tasks.read(service, id);
      if (!task || isFinished(task) || stopped.signal.aborted) return task;
      await onUnfinished?.(task);
      await finished.wait();
    }
  } finally {
    clearTimeout(timer);
    for (const signal of signals) signal.removeEventListener('abort', stop);
    stopped.abort();
  }
}
