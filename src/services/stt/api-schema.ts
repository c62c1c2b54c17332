import { Type } from 'typebox';
import { Success } from '../../http/envelope.ts';
import { EventPageOf } from '../shared/event-schema.ts';
import { fileNameField } from '../shared/file-names.ts';
import { groupingFields } from '../shared/grouping.ts';
import { TaskEventOf } from '../shared/task-events.ts';
import { AcceptedTask, TaskStateOf, UnixSeconds, Url, WebhookState } from '../shared/task-schema.ts';
import { WebhookSecret } from '../shared/webhook-secret.ts';

export const MAX_TERMS = 1000;
export const MAX_TERM_CHARS = 100;
export const MAX_SPOKEN_FORMS = 5;

// The lengths are not part of the schema, so that an error names the term.
export const Terms = Type.Array(
  Type.Union([
    Type.String(),
    Type.Object({
      term: Type.String({ description: 'As it is written.' }),
      spoken: Type.Optional(
        Type.Array(Type.String(), {
          maxItems: MAX_SPOKEN_FORMS,
          description: 'How it sounds, if it is spoken differently: `engine x` for `nginx`.',
        }),
      ),
    }),
  ]),
  {
    maxItems: MAX_TERMS,
    description: `Words and names that the model should prefer: at most ${MAX_TERMS} of ${MAX_TERM_CHARS} characters each.`,
  },
);

const Metadata = Type.Object({}, { additionalProperties: true });

export const TranscribeRequest = Type.Object(
  {
    url: Url('https URL of the recording: a public host, or the URL from `POST /files`.'),
    language: Type.Optional(
      Type.String({
        minLength: 2,
        maxLength: 4,
        description: 'The spoken language as ISO 639-1 (`en`, `ru`); `auto`: detected.',
      }),
    ),
    vocabulary: Type.Optional(Terms),
    metadata: Type.Optional(
      Type.Union([Metadata, Type.Null()], {
        description: 'Client data: at most 16 KiB, 8 levels and 200 keys. Returned unchanged in every response.',
      }),
    ),
    ...fileNameField,
    ...groupingFields,
    webhook: Type.Optional(
      Type.Object({
        url: Url('Called when the final result is stored; https.'),
        secret: Type.Optional(WebhookSecret('Signs the webhook (Standard Webhooks, `v1`). It is never returned.')),
      }),
    ),
  },
  {
    examples: [
      {
        url: 'https://storage.example.com/calls/17.mp3',
        language: 'en',
        vocabulary: ['shotcrete', { term: 'nginx', spoken: ['engine x'] }],
        metadata: { call: 17 },
        webhook: { url: 'https://receiver.example.com/hook', secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' },
      },
    ],
  },
);

const Webhook = WebhookState({ status: Type.String({ description: 'pending, delivered or failed.' }) });

export const Accepted = AcceptedTask({ metadata: Type.Optional(Metadata), webhook: Type.Optional(Webhook) });

const Seconds = Type.Number({ minimum: 0, description: 'Seconds from the start of the recording.' });

const Segment = Type.Object({ start: Seconds, end: Seconds, text: Type.String() });

/** Worker results are validated against it. */
export const Transcription = Type.Object({
  transcription: Type.String({ description: 'The text; empty if no speech was recognized.' }),
  service: Type.String({
    minLength: 1,
    description: 'The provider: `local`, or the name of the remote provider.',
  }),
  language: Type.Optional(Type.String({ description: 'The dominant language, ISO 639-1.' })),
  duration_seconds: Type.Optional(Type.Number({ minimum: 0 })),
  segments: Type.Optional(Type.Array(Segment)),
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
  warnings: Type.Optional(
    Type.Array(Type.Literal('SPEECH_NOT_RECOGNIZED'), {
      description: 'SPEECH_NOT_RECOGNIZED: speech was detected that could not be recognized; the text is incomplete.',
    }),
  ),
  unrecognized: Type.Optional(
    Type.Array(Type.Object({ start: Seconds, end: Seconds }), {
      description: 'The speech that could not be recognized. Present with the warning.',
    }),
  ),
});

export const TaskState = TaskStateOf(
  {
    progress: Type.Optional(
      Type.Number({ minimum: 0, maximum: 1, description: 'Transcribed share; absent if the duration is unknown.' }),
    ),
    result: Type.Optional(Transcription),
    truncated: Type.Optional(
      Type.Literal(true, { description: 'Only in webhooks: `result` was omitted because of its size.' }),
    ),
    processing_time_ms: Type.Optional(Type.Integer()),
    completed_at: Type.Optional(UnixSeconds),
  },
  {
    failed_at: Type.Optional(UnixSeconds),
    metadata: Type.Optional(Metadata),
    webhook: Type.Optional(Webhook),
  },
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

export const VocabularyBody = Type.Object(
  { terms: Terms },
  { examples: [{ terms: ['shotcrete', { term: 'nginx', spoken: ['engine x'] }] }] },
);

export const VocabularyState = Success(
  Type.Object({
    terms: Type.Array(Type.Object({ term: Type.String(), spoken: Type.Optional(Type.Array(Type.String())) })),
    version: Type.String({ description: 'For `If-Match`; changes with the terms.' }),
    changed_at: Type.Optional(UnixSeconds),
  }),
);

export const TranscriptVersion = Type.Object(
  {
    version: Type.Integer({ description: 'For `If-Match`; 0: as transcribed.' }),
    changed_at: Type.Optional(UnixSeconds),
    changed_by: Type.Optional(Type.String({ description: 'The credential, without its secret.' })),
  },
  { description: 'Of a corrected transcript; without it the version is 0.' },
);

const CorrectedSegment = Type.Object({
  ...Segment.properties,
  confirmed: Type.Optional(
    Type.Array(Type.Integer({ minimum: 0 }), {
      description:
        'The recognized words that a user has confirmed: the index of each, from 0, in the `words` of the original. Each is within the segment.',
    }),
  ),
});

export const Transcript = Type.Object({
  ...Transcription.properties,
  segments: Type.Optional(Type.Array(CorrectedSegment)),
  correction: Type.Optional(TranscriptVersion),
});

export const Corrected = Success(TranscriptVersion);

export const TranscriptJson = Success(Transcript);

const MAX_SEGMENTS = 10_000;

export const CorrectionBody = Type.Object(
  {
    segments: Type.Array(CorrectedSegment, {
      maxItems: MAX_SEGMENTS,
      description: `All segments of the corrected transcript, at most ${MAX_SEGMENTS}, ordered by \`start\` and within the recording. A segment without text is removed.`,
    }),
  },
  { examples: [{ segments: [{ start: 0.3, end: 2.1, text: 'The north wall shows a leak.' }] }] },
);

export const TranscriptHistory = Success(
  Type.Object({
    edits: Type.Array(
      Type.Object({
        version: Type.Integer({ description: 'Created by the edit.' }),
        changed_at: UnixSeconds,
        changed_by: Type.String(),
        position: Type.Integer({ description: 'The index of the first removed segment.' }),
        removed: Type.Array(CorrectedSegment),
        inserted: Type.Array(CorrectedSegment),
      }),
    ),
  }),
);

export const Event = TaskEventOf('stt');
export const EventPage = Success(EventPageOf(Event));
