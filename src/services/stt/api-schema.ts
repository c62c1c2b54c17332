import { Type } from 'typebox';
import { Success } from '../../http/envelope.ts';

const Metadata = Type.Object({}, { additionalProperties: true });

export const TranscribeRequest = Type.Object(
  {
    // Not `format: uri`, which is ASCII only; `checkUrl` validates the URL.
    url: Type.String({
      minLength: 1,
      maxLength: 2048,
      description: 'https URL of the recording: a public host, or the URL from `POST /files`.',
    }),
    language: Type.Optional(
      Type.String({
        minLength: 2,
        maxLength: 4,
        description: 'The spoken language as ISO 639-1 (`en`, `ru`); `auto`: detected.',
      }),
    ),
    metadata: Type.Optional(
      Type.Union([Metadata, Type.Null()], {
        description: 'Client data: at most 16 KiB, 8 levels and 200 keys. Returned unchanged in every response.',
      }),
    ),
    webhook: Type.Optional(
      Type.Object({
        url: Type.String({
          minLength: 1,
          maxLength: 2048,
          description: 'Called when the final result is stored; https.',
        }),
        secret: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: 512,
            description: 'Signs the webhook (Standard Webhooks, `v1`). It is never returned.',
          }),
        ),
      }),
    ),
  },
  {
    examples: [
      {
        url: 'https://storage.example.com/calls/17.mp3',
        language: 'en',
        metadata: { call: 17 },
        webhook: { url: 'https://receiver.example.com/hook', secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' },
      },
    ],
  },
);

const UnixSeconds = Type.String({ pattern: '^\\d{10,}$', description: 'Unix time in whole seconds.' });

const Webhook = Type.Object({
  configured: Type.Boolean(),
  status: Type.String({ description: 'pending, delivered or failed.' }),
  delivery_id: Type.Optional(Type.String()),
  last_attempt_at: Type.Optional(UnixSeconds),
  next_attempt_at: Type.Optional(UnixSeconds),
  delivered_at: Type.Optional(UnixSeconds),
  last_error: Type.Optional(Type.String()),
});

export const Accepted = Type.Object({
  task_id: Type.String(),
  status: Type.Literal('queued'),
  status_url: Type.String({ description: 'Relative to the base URL.' }),
  estimated_wait_seconds: Type.Integer({ description: 'Recommended seconds until the first poll; not a guarantee.' }),
  metadata: Type.Optional(Metadata),
  webhook: Type.Optional(Webhook),
});

const Seconds = Type.Number({ minimum: 0, description: 'Seconds from the start of the recording.' });

/** Worker results are validated against it. */
export const Transcription = Type.Object({
  transcription: Type.String({ description: 'The text; empty if no speech was detected.' }),
  service: Type.String({
    minLength: 1,
    description: 'The provider: `local`, or the name of the remote provider.',
  }),
  language: Type.Optional(Type.String({ description: 'The dominant language, ISO 639-1.' })),
  duration_seconds: Type.Optional(Type.Number({ minimum: 0 })),
  segments: Type.Optional(Type.Array(Type.Object({ start: Seconds, end: Seconds, text: Type.String() }))),
  words: Type.Optional(
    Type.Array(
      Type.Object({
        start: Seconds,
        end: Seconds,
        text: Type.String(),
        confidence: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
      }),
      { description: 'Present if the provider returns word times.' },
    ),
  ),
});

export const TaskState = Success(
  Type.Object({
    task_id: Type.String(),
    status: Type.Union(['queued', 'processing', 'done', 'failed'].map((status) => Type.Literal(status))),
    progress: Type.Optional(
      Type.Number({ minimum: 0, maximum: 1, description: 'Transcribed share; absent if the duration is unknown.' }),
    ),
    result: Type.Optional(Transcription),
    truncated: Type.Optional(
      Type.Literal(true, { description: 'Only in webhooks: `result` was omitted because of its size.' }),
    ),
    processing_time_ms: Type.Optional(Type.Integer()),
    completed_at: Type.Optional(UnixSeconds),
    error: Type.Optional(Type.String({ description: 'Human-readable error of a failed task.' })),
    error_code: Type.Optional(Type.String({ description: 'Machine-readable error of a failed task.' })),
    failed_at: Type.Optional(UnixSeconds),
    metadata: Type.Optional(Metadata),
    webhook: Type.Optional(Webhook),
  }),
);

export const Health = Success(
  Type.Object({
    model_loaded: Type.Boolean(),
    worker_id: Type.String(),
    model: Type.String({ description: 'The model of the first provider.' }),
    providers: Type.Array(Type.Object({ name: Type.String(), model: Type.String() }), {
      description: 'In order of preference.',
    }),
  }),
);

export const TranscriptJson = Success(Transcription);
