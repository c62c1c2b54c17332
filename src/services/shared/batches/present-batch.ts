import { unixSeconds } from '../../../base/time.ts';
import { success } from '../../../http/envelope.ts';
import type { BatchSummary } from '../../../tasks/store.ts';
import type { Done, Task } from '../../../tasks/task.ts';
import { webhookFields } from '../webhook-fields.ts';

/** The `input` of a batch's task. */
export interface BatchInput {
  readonly total: number;
}

/** The state of a batch; `summary` is that of an unfinished one. */
export function presentBatch(task: Task, summary: BatchSummary) {
  const { total } = JSON.parse(task.inputText) as BatchInput;
  const { webhook } = task;
  return {
    batch_id: task.id,
    status: task.status === 'done' ? ('completed' as const) : ('in_progress' as const),
    total,
    counts: summary.counts,
    errors: summary.errors.map(({ position, task_id, error, error_code }) => ({
      position,
      task_id,
      error,
      error_code,
    })),
    created_at: unixSeconds(task.queuedAt),
    ...(task.status === 'done' && { completed_at: unixSeconds(task.finishedAt) }),
    ...(webhook && {
      webhook: { configured: true, state: webhook.state, attempts: webhook.attempts, ...webhookFields(webhook) },
    }),
  };
}

export const storedSummary = (task: Done): BatchSummary => JSON.parse(task.resultText) as BatchSummary;

/** The body of the webhook `batch.completed`. */
export const presentCompleted = (task: Task): string =>
  JSON.stringify(success(presentBatch(task, storedSummary(task as Done))));
