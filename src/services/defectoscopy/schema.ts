import { Type } from 'typebox';
import { Success } from '../../http/envelope.ts';

/** TypeBox once: these validate requests, type the code and make the OpenAPI description. */

export const PredictRequest = Type.Object(
  {
    // No `format: uri`: that means ASCII, and hosts have names in every script. What is acceptable is checkUrl's to say.
    image_url: Type.String({
      minLength: 1,
      maxLength: 2048,
      description: 'https address of the image on one of the allowed storage hosts.',
    }),
    priority: Type.Optional(
      Type.Union([Type.Literal('realtime'), Type.Literal('batch')], {
        default: 'realtime',
        description: 'batch gives way to realtime, and may wait for a cold worker longer.',
      }),
    ),
    webhook_url: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2048,
        description: 'Called once the final result is recorded. https; http only for localhost, 127.0.0.1 and [::1].',
      }),
    ),
    model_version: Type.Optional(
      Type.String({ minLength: 1, maxLength: 100, description: 'An installed model version other than the default.' }),
    ),
  },
  {
    examples: [{ image_url: 'https://storage.example.com/photos/wall-17.jpg', priority: 'realtime' }],
  },
);

export const Accepted = Type.Object({
  task_id: Type.String(),
  status: Type.Literal('queued'),
  status_url: Type.String({ description: 'Relative to the base address.' }),
  estimated_wait_seconds: Type.Integer({ description: 'When a first poll makes sense; no promise of completion.' }),
});

const Scored = Type.Object({ name: Type.String(), conf: Type.Number({ minimum: 0, maximum: 1 }) });

/** What a model answers for one photo; a worker's result is held against it before it is recorded. */
export const Classification = Type.Object({
  surface: Type.String(),
  masters: Type.Array(Scored, { description: 'Every group with its confidence; they sum to 1.' }),
  defects: Type.Array(Scored, {
    description: 'Classes that reach the threshold of the model card; empty means sound.',
  }),
});

export const Webhook = Type.Object({
  configured: Type.Boolean(),
  state: Type.String({ description: 'pending, delivered or failed.' }),
  attempts: Type.Integer(),
  delivery_id: Type.Optional(Type.String()),
  last_attempt_at: Type.Optional(Type.String()),
  next_attempt_at: Type.Optional(Type.String()),
  delivered_at: Type.Optional(Type.String()),
  response_status_code: Type.Optional(Type.Integer()),
  last_error: Type.Optional(Type.String()),
});

const UnixSeconds = Type.String({ pattern: '^\\d{10,}$', description: 'Unix time in whole seconds.' });

export const TaskState = Success(
  Type.Object({
    task_id: Type.String(),
    status: Type.Union(['queued', 'processing', 'done', 'failed'].map((status) => Type.Literal(status))),
    message: Type.Optional(Type.String({ description: 'For humans, while the task is in progress.' })),
    result: Type.Optional(Classification),
    processing_time_ms: Type.Optional(Type.Integer()),
    completed_at: Type.Optional(UnixSeconds),
    model_version: Type.Optional(Type.String()),
    error: Type.Optional(Type.String({ description: 'For humans, when the task failed.' })),
    error_code: Type.Optional(Type.String({ description: 'For programs, when the task failed.' })),
    webhook: Type.Optional(Webhook),
  }),
);

export const Health = Success(
  Type.Object({
    model_loaded: Type.Boolean(),
    worker_id: Type.String(),
    model_version: Type.String(),
    gpu: Type.Object({ name: Type.String(), vram_used_mb: Type.Integer(), vram_total_mb: Type.Integer() }),
  }),
);

export const Names = Success(Type.Array(Type.String()));

export const Heatmap = Success(
  Type.Object({
    name: Type.String(),
    width: Type.Integer(),
    height: Type.Integer(),
    values: Type.Array(Type.Number({ minimum: 0, maximum: 1 }), {
      description: 'Row by row over the upright image, width × height values.',
    }),
  }),
);
