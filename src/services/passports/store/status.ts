import type { Task } from '../../../tasks/task.ts';
import type { Status } from '../documents.ts';
import { ERROR_TYPES, failureStatus } from '../failures.ts';

/** The status that clients see. */
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

/** Selects tasks `t` with a status. Parameters `$4` and on come from {@link statusParams}. */
export const STATUS_CONDITION = `
  t.status = $4 and ($5::text[] is null or t.error_code = any($5)) and coalesce(t.error_code, '') <> all($6::text[])`;

/** The task's status, the error codes to include (null: all) and those to exclude. Unknown codes are errors. */
export function statusParams(status: Status): [Task['status'], string[] | null, string[]] {
  const codes = (is: (failure: Status) => boolean) => ERROR_TYPES.filter((code) => is(failureStatus(code)));
  switch (status) {
    case 'PENDING':
      return ['queued', null, []];
    case 'PROCESSING':
      return ['processing', null, []];
    case 'SUCCESS':
      return ['done', null, []];
    case 'ERROR':
      return ['failed', null, codes((failure) => failure !== 'ERROR')];
    case 'FAILED':
    case 'PERMANENT_ERROR':
      return ['failed', codes((failure) => failure === status), []];
  }
}

/** The task alone, without its document. */
export function presentTask(task: Task): string {
  const code = task.status === 'failed' ? task.failure.code : null;
  return JSON.stringify({ id: task.id, status: statusOf(task.status, code) });
}
