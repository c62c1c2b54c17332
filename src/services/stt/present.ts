import type { JsonObject } from '../../base/json.ts';
import { objectText } from '../../base/json-text.ts';
import { unixSeconds } from '../../base/time.ts';
import type { Task } from '../../tasks/task.ts';
import { groupingOf } from '../shared/grouping.ts';
import { webhookFields } from '../shared/webhook-fields.ts';
import type { TranscribeInput } from './result.ts';

/** The response body as JSON text, shared by the poll route and the webhook. */
export const present = (task: Task): string =>
  presented(task, stateOf(task), task.status === 'done' ? task.resultText : undefined);

/** Without the result, for webhooks above the size limit. */
export const presentTruncated = (task: Task): string => presented(task, { ...stateOf(task), truncated: true });

/** The stored result is inserted as text: it can have hours of words. */
function presented(task: Task, state: JsonObject, result?: string): string {
  const { file_name, metadata } = JSON.parse(task.inputText) as TranscribeInput;
  const { webhook } = task;
  const data = {
    task_id: task.id,
    ...state,
    ...groupingOf(task.inputText),
    ...(file_name !== undefined && { file_name }),
    ...(webhook && { webhook: { configured: true, status: webhook.state, ...webhookFields(webhook) } }),
  };
  return objectText({ ok: true }, { data: objectText(data, { result, metadata }) });
}

/** A success body with the metadata as the client's JSON text. */
export const success = (data: object, metadata: string | undefined): string =>
  objectText({ ok: true }, { data: objectText(data, { metadata }) });

function stateOf(task: Task): JsonObject {
  switch (task.status) {
    case 'queued':
      return { status: 'queued' };
    case 'processing':
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
        error: task.failure.message,
        error_code: task.failure.code,
        failed_at: unixSeconds(task.finishedAt),
        ...(task.processingMs !== undefined && { processing_time_ms: task.processingMs }),
      };
  }
}
