import type { Task } from '../../../tasks/task.ts';
import type { Status } from '../documents.ts';
import { failureStatus } from '../failures.ts';

/** Must match the SQL function `passport_status`. */
export function statusOf(status: Task['status'], errorCode: string | null): Status {
  switch (status) {
    case 'queued':
      return 'PENDING';
    case 'processing':
      return 'PROCESSING';
    case 'done':
      return 'SUCCESS';
    case 'failed':
      return failureStatus(errorCode ?? '');
  }
}

/** The task alone, without its document. */
export function presentTask(task: Task): string {
  const code = task.status === 'failed' ? task.failure.code : null;
  return JSON.stringify({ id: task.id, status: statusOf(task.status, code) });
}
