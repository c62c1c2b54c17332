import type { Task } from '../../../tasks/task.ts';
import type { Status } from '../documents.ts';
import { endedAs } from '../failures.ts';

/** The state of a document by that of its task. `passport_status` in the database says the same, for filters and events. */
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
