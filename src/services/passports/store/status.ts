import type { Task } from '../../../tasks/task.ts';
import type { Status } from '../documents.ts';
import { ERROR_TYPES, failureStatus } from '../failures.ts';

const UNFAILED = { queued: 'PENDING', processing: 'PROCESSING', done: 'SUCCESS' } as const;

/** The status that clients see. */
export const statusOf = (status: Task['status'], errorCode: string | null): Status =>
  status === 'failed' ? failureStatus(errorCode ?? '') : UNFAILED[status];

/** Selects tasks `t` with a status. Parameters `$4` and on come from {@link statusParams}. */
export const STATUS_CONDITION = `
  t.status = $4 and ($5::text[] is null or t.error_code = any($5)) and coalesce(t.error_code, '') <> all($6::text[])`;

/** The task's status, the error codes to include (null: all) and those to exclude. Unknown codes are errors. */
export function statusParams(status: Status): [Task['status'], string[] | null, string[]] {
  const codes = (is: (failure: Status) => boolean) => ERROR_TYPES.filter((code) => is(failureStatus(code)));
  if (status === 'ERROR') return ['failed', null, codes((failure) => failure !== 'ERROR')];
  const [unfailed] = Object.entries(UNFAILED).find(([, shown]) => shown === status) ?? [];
  if (unfailed !== undefined) return [unfailed as Task['status'], null, []];
  return ['failed', codes((failure) => failure === status), []];
}

/** The task alone, without its document. */
export function presentTask(task: Task): string {
  const code = task.status === 'failed' ? task.failure.code : null;
  return JSON.stringify({ id: task.id, status: statusOf(task.status, code) });
}
