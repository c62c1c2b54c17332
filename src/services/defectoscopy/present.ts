import type { JsonObject } from '../../base/json.ts';
import { unixSeconds } from '../../base/time.ts';
import type { Task, Webhook } from '../../tasks/task.ts';
import { webhookFacts } from '../webhook-state.ts';
import type { Recorded } from './result.ts';

const MESSAGES = {
  en: { queued: 'The task waits for a worker.', processing: 'The photo is being examined.' },
  ru: { queued: 'Задача ожидает обработки.', processing: 'Снимок обрабатывается.' },
};
export type Language = keyof typeof MESSAGES;

/**
 * What a reader of a task is told. The poll route and the webhook both call this, so they cannot differ.
 */
export function present(task: Task, language: Language = 'en'): JsonObject {
  return { ok: true, data: { task_id: task.id, ...stateOf(task, language), ...webhookOf(task.webhook) } };
}

function stateOf(task: Task, language: Language): JsonObject {
  switch (task.status) {
    case 'queued':
    case 'processing':
      return { status: task.status, message: MESSAGES[language][task.status] };
    case 'done': {
      const { model_version, ...result } = task.result as unknown as Recorded;
      return {
        status: 'done',
        result: result as unknown as JsonObject,
        processing_time_ms: task.processingMs,
        completed_at: unixSeconds(task.finishedAt),
        model_version,
      };
    }
    case 'failed':
      return { status: 'failed', error: task.failure.sentence, error_code: task.failure.code };
  }
}

function webhookOf(webhook: Webhook | undefined): JsonObject {
  if (!webhook) return {};
  return {
    webhook: {
      configured: true,
      state: webhook.state,
      attempts: webhook.attempts,
      ...webhookFacts(webhook),
      ...(webhook.responseStatusCode !== undefined && { response_status_code: webhook.responseStatusCode }),
    },
  };
}
