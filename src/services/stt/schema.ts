import { Type } from 'typebox';
import { Success } from '../../http/envelope.ts';

/** TypeBox once: these validate requests, type the code and make the OpenAPI description. */

const Metadata = Type.Object({}, { additionalProperties: true });

export const TranscribeRequest = Type.Object(
  {
    // No `format: uri`: that means ASCII, and hosts have names in every script. What is acceptable is checkUrl's to say.
    url: Type.String({
      minLength: 1,
      maxLength: 2048,
      description: 'https address of the recording: a public host, or what `POST /files` answered.',
    }),
    language: Type.Optional(
      Type.String({
        minLength: 2,
        maxLength: 4,
        description: 'What is spoken, as ISO 639-1 (`en`, `ru`); `auto`: the engine finds out.',
      }),
    ),
    metadata: Type.Optional(
      Type.Union([Metadata, Type.Null()], {
        description:
          'Anything of yours: at most 16 KiB, 8 levels and 200 keys. Comes back with every answer, as the text that it was.',
      }),
    ),
    webhook: Type.Optional(
      Type.Object({
        url: Type.String({
          minLength: 1,
          maxLength: 2048,
          description: 'Called once the final result is recorded; https.',
        }),
        secret: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: 512,
            description: 'The callback is signed with it (Standard Webhooks, `v1`). It is never shown again.',
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
  status_url: Type.String({ description: 'Relative to the base address.' }),
  estimated_wait_seconds: Type.Integer({ description: 'When a first poll makes sense; no promise of completion.' }),
  metadata: Type.Optional(Metadata),
  webhook: Type.Optional(Webhook),
});

const Seconds = Type.Number({ minimum: 0, description: 'From the beginning of the recording.' });

/** A worker's result is held against this before it is recorded. */
export const Transcription = Type.Object({
  transcription: Type.String({ description: 'The text; empty where no useful speech was found.' }),
  service: Type.String({
    minLength: 1,
    description: 'What produced the text: `local`, or the provider’s public name.',
  }),
  language: Type.Optional(Type.String({ description: 'ISO 639-1: what most of the recording is in.' })),
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
      { description: 'Where the engine gives the times of words.' },
    ),
  ),
});

export const TaskState = Success(
  Type.Object({
    task_id: Type.String(),
    status: Type.Union(['queued', 'processing', 'done', 'failed'].map((status) => Type.Literal(status))),
    progress: Type.Optional(
      Type.Number({ minimum: 0, maximum: 1, description: 'How much was heard, where the recording tells its length.' }),
    ),
    result: Type.Optional(Transcription),
    truncated: Type.Optional(
      Type.Literal(true, { description: 'In a callback alone: `result` was too large for it; read it here.' }),
    ),
    processing_time_ms: Type.Optional(Type.Integer()),
    completed_at: Type.Optional(UnixSeconds),
    error: Type.Optional(Type.String({ description: 'For humans, when the task failed.' })),
    error_code: Type.Optional(Type.String({ description: 'For programs, when the task failed.' })),
    failed_at: Type.Optional(UnixSeconds),
    metadata: Type.Optional(Metadata),
    webhook: Type.Optional(Webhook),
  }),
);

export const Health = Success(
  Type.Object({
    model_loaded: Type.Boolean(),
    worker_id: Type.String(),
    model: Type.String({ description: 'What hears a recording first.' }),
    providers: Type.Array(Type.Object({ name: Type.String(), model: Type.String() }), {
      description: 'In the order in which they are tried.',
    }),
  }),
);

export const TranscriptJson = Success(Transcription);
