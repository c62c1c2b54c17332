import type { JsonObject } from '../../base/json.ts';
import { objectText } from '../../base/json-text.ts';
import { unixSeconds } from '../../base/time.ts';
import type { Task } from '../../tasks/task.ts';
import { webhookFacts } from '../webhook-state.ts';
import type { TranscribeInput } from './result.ts';

/** What a reader of a task is told, as JSON text. The poll route and the webhook both call this, so they cannot differ. */
export const present = (task: Task): string =>
  presented(task, stateOf(task), task.status === 'done' ? task.resultText : undefined);

/** The same for a callback that would be too large: all but the result, which is still to be read by polling. */
export const presentThin = (task: Task): string => presented(task, { ...stateOf(task), truncated: true });

/** The result, which may be the words of four hours, goes in as the text that it is. */
function presented(task: Task, state: JsonObject, result?: string): string {
  const { metadata } = JSON.parse(task.inputText) as TranscribeInput;
  const { webhook } = task;
  const data = {
    task_id: task.id,
    ...state,
    ...(webhook && { webhook: { configured: true, status: webhook.state, ...webhookFacts(webhook) } }),
  };
  return objectText({ ok: true }, { data: objectText(data, { result, metadata }) });
}

/** The success body whose `data` echoes metadata as the text that came. */
export const success = (data: object, metadata: string | undefined): string =>
  objectText({ ok: true }, { data: objectText(data, { metadata }) });

function stateOf(task: Task): JsonObject {
  switch (task.status) {
    case 'queued':
      return { status: 'queued' };
    case 'processing':
      // Floats of the database have more digits than anybody wants.
      return {
        status: 'processing',
        ...(task.progress !== undefined && { progress: Number(task.progress.toFixed(3)) }),
      };
    case 'done':
      return {
        status: 'done',
        processing_time_ms: task.processingMs,
        completed_at: unixSeconds(task.finishedAt),
      };
    case 'failed':
      return {
        status: 'failed',
        error: task.failure.sentence,
        error_code: task.failure.code,
        failed_at: unixSeconds(task.finishedAt),
        ...(task.processingMs !== undefined && { processing_time_ms: task.processingMs }),
      };
  }
}
