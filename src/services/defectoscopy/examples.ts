import type { JsonObject } from '../../base/json.ts';
import { webhookOpenApi } from '../shared/webhook-openapi.ts';
import { TaskState } from './api-schema.ts';

/** A test validates each against its schema. */

const ID = '01KAF3M9WZ7Y5T2Q8C4N6B1D0E';
const DELIVERY = 'whd_01KAF3M9WZ3RS8V5X2K7J4H6G9';

export const accepted: JsonObject = {
  ok: true,
  data: { task_id: ID, status: 'queued', status_url: `/result/${ID}`, estimated_wait_seconds: 90 },
};

const done: JsonObject = {
  ok: true,
  data: {
    task_id: ID,
    status: 'done',
    result: {
      surface: 'concrete_wall',
      masters: [
        { name: 'cracking', conf: 0.93 },
        { name: 'sound', conf: 0.07 },
      ],
      defects: [{ name: 'crack', conf: 0.93 }],
    },
    processing_time_ms: 41,
    completed_at: '1767225600',
    model_version: '1.0.0',
  },
};

export const examples = {
  processing: {
    ok: true,
    data: { task_id: ID, status: 'processing', message: 'The photo is being processed.' },
  },
  done,
  failed: {
    ok: true,
    data: {
      task_id: ID,
      status: 'failed',
      error: 'The image is damaged or incomplete.',
      error_code: 'IMAGE_CORRUPT',
    },
  },
  cancelled: {
    ok: true,
    data: { task_id: ID, status: 'failed', error: 'Cancelled by client', error_code: 'CANCELLED' },
  },
} satisfies Record<string, JsonObject>;

export const webhooks = {
  'defectoscopy.result.terminal': webhookOpenApi({
    summary: 'The final result of a task created with webhook_url',
    body: 'The body is that of `GET /result/{task_id}` at the time of sending.',
    signed: 'Signed according to Standard Webhooks.',
    schema: TaskState,
    done: {
      ...done,
      data: {
        ...(done['data'] as JsonObject),
        webhook: { configured: true, state: 'pending', attempts: 0, delivery_id: DELIVERY },
      },
    },
  }),
};
