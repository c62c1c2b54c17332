import type { JsonObject } from '../../base/json.ts';
import { batchWebhook } from '../shared/batches/batch-openapi.ts';
import { taskExamples } from '../shared/task-examples.ts';
import { webhookOpenApi } from '../shared/webhook-openapi.ts';
import { TaskState } from './api-schema.ts';
import { FAILURES } from './failures.ts';

/** A test validates each against its schema. */

const metadata = { call: 17 };

export const result: JsonObject = {
  transcription: 'The north wall shows a crack.',
  service: 'local',
  language: 'en',
  duration_seconds: 2.4,
  segments: [{ start: 0.3, end: 2.1, text: 'The north wall shows a crack.' }],
};

export const examples = taskExamples({
  accepted: { estimated_wait_seconds: 60, metadata, webhook: { configured: true, status: 'pending' } },
  processing: { progress: 0.42, metadata },
  done: { result, processing_time_ms: 812, completed_at: '1767225600', metadata },
  error: { error: FAILURES.corrupt.message, error_code: FAILURES.corrupt.code },
  failed: { failed_at: '1767225600' },
  webhook: { status: 'pending' },
});

export const webhooks = {
  'stt.result.terminal': webhookOpenApi({
    summary: 'The final result of a task created with a webhook',
    body: 'The body is that of `GET /result/{task_id}` at the time of sending. A body above 256 KiB is sent without `result` and with `truncated: true`.',
    signed: 'Signed according to Standard Webhooks: always `v1a`, and `v1` if `webhook.secret` is set.',
    schema: TaskState,
    done: examples.delivered,
  }),
  ...batchWebhook('Signed according to Standard Webhooks (`v1a`).'),
};
