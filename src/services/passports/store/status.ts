import type { Task } from '../../../tasks/task.ts';
import type { Status } from '../documents.ts';
import { endedAs } from '../failures.ts';

/** The document status for a task status. Must match the SQL function `passport_status`. */
export function statusOf(status: Task['status'], errorCode: string | null): Status {
  switch (status) {
    case 'queued':
      return 'PENDING';
    case 'processing':
      return 'PROCESSING';
    case 'done':
      return 'SUCCESS';
    case 'failed':
      return endedAs(errorCode ?? '');
  }
}
