import type { JsonObject } from '../../base/json.ts';
import { batchWebhook } from '../shared/batches/batch-openapi.ts';
import { taskExamples } from '../shared/task-examples.ts';
import { webhookOpenApi } from '../shared/webhook-openapi.ts';
import { TaskState } from './api-schema.ts';
import { FAILURES } from './failures.ts';
import { MESSAGES } from './present.ts';

export const result: JsonObject = {
  surface: 'concrete_wall',
  masters: [
    { name: 'cracking', conf: 0.93 },
    { name: 'sound', conf: 0.07 },
  ],
  defects: [{ name: 'crack', conf: 0.93 }],
  familiarity: 0.62,
};

/** A test validates each against its schema. */
export const examples = taskExamples({
  accepted: { estimated_wait_seconds: 90 },
  processing: { message: MESSAGES.en.processing },
  done: {
    result,
    processing_time_ms: 41,
    completed_at: '1767225600',
    model_version: '1.0.0',
  },
  error: { error: FAILURES.corrupt.message, error_code: FAILURES.corrupt.code },
  webhook: { state: 'pending', attempts: 0 },
});

export const webhooks = {
  'defectoscopy.result.terminal': webhookOpenApi({
    summary: 'The final result of a task created with webhook_url',
    body: 'The body is that of `GET /result/{task_id}` at the time of sending.',
    signed: 'Signed according to Standard Webhooks.',
    schema: TaskState,
    done: examples.delivered,
  }),
  ...batchWebhook('Signed according to Standard Webhooks.'),
};
