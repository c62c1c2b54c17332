import type { JsonObject } from '../../base/json.ts';
import { unixSeconds } from '../../base/time.ts';
import type { Done, Task, Webhook } from '../../tasks/task.ts';
import { fileNameOf } from '../shared/file-names.ts';
import { groupingOf } from '../shared/grouping.ts';
import { webhookFields } from '../shared/webhook-fields.ts';
import { splitResult } from './result.ts';

export const MESSAGES = {
  en: { queued: 'The task is waiting for a worker.', processing: 'The photo is being processed.' },
  ru: { queued: 'Задача ожидает обработки.', processing: 'Фото обрабатывается.' },
};
export type Language = keyof typeof MESSAGES;

/** The response body as JSON text, shared by the poll route and the webhook. */
export function present(task: Task, language: Language = 'en'): string {
  const state = task.status === 'done' ? doneText(task) : membersOf(stateOf(task, language));
  const ownText = moreMembers(groupingOf(task.inputText)) + moreMembers(fileNameOf(task.inputText));
  const webhook = task.webhook === undefined ? '' : `,${membersOf(webhookOf(task.webhook))}`;
  return `{"ok":true,"data":{"task_id":"${task.id}",${state}${ownText}${webhook}}}`;
}

const membersOf = (object: object): string => JSON.stringify(object).slice(1, -1);

/** With a comma before them; empty without members. */
function moreMembers(object: object): string {
  const members = membersOf(object);
  return members === '' ? '' : `,${members}`;
}

/** Concatenates text because most polls under load read finished tasks: the stored result is not parsed. */
function doneText(task: Done): string {
  const { result, version } = splitResult(task.resultText);
  const times = `"processing_time_ms":${task.processingMs},"completed_at":"${unixSeconds(task.finishedAt)}"`;
  return `"status":"done","result":${result},${times},"model_version":${version}`;
}

function stateOf(task: Exclude<Task, Done>, language: Language): JsonObject {
  switch (task.status) {
    case 'queued':
    case 'processing':
      return { status: task.status, message: MESSAGES[language][task.status] };
    case 'failed':
      return { status: 'failed', error: task.failure.message, error_code: task.failure.code };
  }
}

function webhookOf(webhook: Webhook): JsonObject {
  return {
    webhook: {
      configured: true,
      state: webhook.state,
      attempts: webhook.attempts,
      ...webhookFields(webhook),
      ...(webhook.responseStatusCode !== undefined && { response_status_code: webhook.responseStatusCode }),
    },
  };
}
