import { createBell } from '../base/loop.ts';
import type { TaskStore } from './store.ts';
import { isFinished, type Task } from './task.ts';

/** The task once it is finished, or as it stands after `ms` or when `signal` aborts; `undefined` if there is none. */
export async function waitForEnd(
  tasks: TaskStore,
  service: string,
  id: string,
  { ms, signal }: { ms: number; signal: AbortSignal },
): Promise<Task | undefined> {
  const bell = createBell();
  const over = AbortSignal.any([AbortSignal.timeout(ms), signal]);
  tasks.onHint('finished', bell.ring, over);
  over.addEventListener('abort', bell.ring);
  try {
    for (;;) {
      const task = await tasks.read(service, id);
      if (!task || isFinished(task) || over.aborted) return task;
      await bell.wait();
    }
  } finally {
    over.removeEventListener('abort', bell.ring);
  }
}
