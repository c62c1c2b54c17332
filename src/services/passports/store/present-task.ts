import type { Task } from '../../../tasks/task.ts';
import { statusOf } from './status.ts';

/** A task by itself, without what people have made of its document: its identifier and its state. */
export function presentTask(task: Task): string {
  const code = task.status === 'failed' ? task.failure.code : null;
  return JSON.stringify({ id: task.id, status: statusOf(task.status, code) });
}
