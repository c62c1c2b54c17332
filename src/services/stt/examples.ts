import type { JsonObject } from '../../base/json.ts';
import { webhookOpenApi } from '../shared/webhook-openapi.ts';
import { TaskState } from './api-schema.ts';

/** A test validates each against its schema. */

const ID = '01KAF3M9WZ7Y5T2Q8C4N6B1D0E';
const metadata = { call: 17 };

export const accepted: JsonObject = {
  ok: true,
  data: {
    task_id: ID,
    status: 'queued',
    status_url: `/result/${ID}`,
    estimated_wait_seconds: 60,
    metadata,
    webhook: { configured: true, status: 'pending' },
  },
};

export const result: JsonObject = {
  transcription: 'The north wall shows a crack.',
  service: 'local',
  language: 'en',
  duration_seconds: 2.4,
  segments: [{ start: 0.3, end: 2.1, text: 'The north wall shows a crack.' }],
};

const done: JsonObject = {
  task_id: ID,
  status: 'done',
  result,
  processing_time_ms: 812,
  completed_at: '1767225600',
  metadata,
};

export const examples = {
  processing: { ok: true, data: { task_id: ID, status: 'processing', progress: 0.42, metadata } },
  done: { ok: true, data: done },
  failed: {
    ok: true,
    data: {
      task_id: ID,
      status: 'failed',
      error: 'The recording is damaged or incomplete.',
      error_code: 'AUDIO_CORRUPT',
      failed_at: '1767225600',
    },
  },
  cancelled: {
    ok: true,
    data: {
      task_id: ID,
      status: 'failed',
      error: 'Cancelled by client',
      error_code: 'CANCELLED',
      failed_at: '1767225600',
    },
  },
} satisfies Record<string, JsonObject>;

export const webhooks = {
  'stt.result.terminal': webhookOpenApi({
    summary: 'The final result of a task created with a webhook',
    body: 'The body is that of `GET /result/{task_id}` at the time of sending. A body above 256 KiB is sent without `result` and with `truncated: true`.',
    signed: 'Signed according to Standard Webhooks: always `v1a`, and `v1` if `webhook.secret` is set.',
    schema: TaskState,
    done: {
      ok: true,
      data: {
        ...done,
        webhook: { configured: true, status: 'pending', delivery_id: 'whd_01KAF3M9WZ3RS8V5X2K7J4H6G9' },
      },
    },
  }),
};
