import { createBell } from '../base/loop.ts';
import { oneFinished } from './hints.ts';
import type { TaskStore } from './store.ts';
import { isFinished, type Task } from './task.ts';

/** The task once it is finished, or as it stands after `ms` or when `signal` aborts; `undefined` if there is none. */
export async function waitForEnd(
  tasks: Pick<TaskStore, 'read' | 'onHint'>,
  service: string,
  id: string,
  { ms, signal }: { ms: number; signal: AbortSignal },
): Promise<Task | undefined> {
  const bell = createBell();
  // One of our own, ended with this wait: `AbortSignal.any` would hang on to `signal`, which lives as long as the process.
  const over = new AbortController();
  const end = () => {
    over.abort();
    bell.ring();
  };
  const timer = setTimeout(end, ms);
  signal.addEventListener('abort', end);
  if (signal.aborted) end();
  tasks.onHint(oneFinished(id), bell.ring, over.signal);
  try {
    for (;;) {
      const task = await tasks.read(service, id);
      if (!task || isFinished(task) || over.signal.aborted) return task;
      await bell.wait();
    }
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
    over.abort();
  }
}
