import { unixSeconds } from '../../../base/time.ts';
import { success } from '../../../http/envelope.ts';
import type { BatchSummary } from '../../../tasks/batch-store.ts';
import type { EndedBatch } from '../../../tasks/events.ts';
import type { Task } from '../../../tasks/task.ts';
import { groupingOf } from '../grouping.ts';
import { webhookFields } from '../webhook-fields.ts';

/** The `input` of a batch's task. */
export interface BatchInput {
  readonly total: number;
  /** See {@link batchName}. */
  readonly name?: string;
  /** Whether any item has a project or tags. */
  readonly isGrouped?: true;
}

/** `given`, or else the folder of all files, or the first file; empty without names. */
export function batchName([first = '', ...others]: readonly string[], given?: string): { readonly name?: string } {
  if (given !== undefined) return { name: given };
  const folder = first.slice(0, first.indexOf('/') + 1);
  const isCommon = folder !== '' && others.every((name) => name.startsWith(folder));
  return first === '' ? {} : { name: isCommon ? folder.slice(0, -1) : first };
}

/** The state of a batch; `summary` is that of an unfinished one, `estimateSeconds` the time until it ends. */
export function presentBatch(
  task: Pick<Task, 'id' | 'inputText' | 'queuedAt' | 'webhook'> & { readonly finishedAt?: Date },
  summary: BatchSummary,
  estimateSeconds?: number,
) {
  const { total, name } = JSON.parse(task.inputText) as BatchInput;
  const { webhook, finishedAt } = task;
  return {
    batch_id: task.id,
    status: finishedAt ? ('completed' as const) : ('in_progress' as const),
    total,
    ...(name !== undefined && { name }),
    ...groupingOf(task.inputText),
    counts: summary.counts,
    errors: summary.errors.map(({ position, task_id, name, error, error_code }) => ({
      ...{ position, task_id, ...(typeof name === 'string' && { name }), error, error_code },
    })),
    ...(summary.error_codes && { error_codes: summary.error_codes }),
    created_at: unixSeconds(task.queuedAt),
    ...(finishedAt && { completed_at: unixSeconds(finishedAt) }),
    ...(estimateSeconds !== undefined && { estimated_wait_seconds: estimateSeconds }),
    ...(webhook && {
      webhook: { configured: true, state: webhook.state, attempts: webhook.attempts, ...webhookFields(webhook) },
    }),
  };
}

/** Of a completed batch. A batch that expired before it was completed has no item that is still readable. */
export function storedSummary(task: Task): BatchSummary | undefined {
  if (task.status === 'done') return JSON.parse(task.resultText) as BatchSummary;
  if (task.status !== 'failed') return undefined;
  const { total } = JSON.parse(task.inputText) as BatchInput;
  return { counts: { queued: 0, processing: 0, done: 0, failed: total, cancelled: 0 }, errors: [] };
}

/** The batch of the event `batch.completed`: the webhook's body, without the state of the webhook. */
export const presentEnded = (id: string, { input, summary, queuedAt, finishedAt }: EndedBatch) =>
  presentBatch(
    { id, inputText: input, queuedAt: new Date(queuedAt), finishedAt: new Date(finishedAt) },
    summary as unknown as BatchSummary,
  );

/** The body of the webhook `batch.completed`. */
export const presentCompleted = (task: Task): string =>
  JSON.stringify(success(presentBatch(task, storedSummary(task)!)));
