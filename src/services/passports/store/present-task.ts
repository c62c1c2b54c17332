import type { Task } from '../../../tasks/task.ts';
import { statusOf } from './status.ts';

/** Presents a task without its document: id and status. */
export function presentTask(task: Task): string {
  const code = task.status === 'failed' ? task.failure.code : null;
  return JSON.stringify({ id: task.id, status: statusOf(task.status, code) });
}
