import { Type } from 'typebox';
import type { ApiError } from '../../../base/api-error.ts';
import { describeResponse, errorResponsesIn } from '../../../http/envelope.ts';
import { openAiErrors } from './errors.ts';
import { GRANULARITIES, MAX_PROMPT_CHARS, RESPONSE_FORMATS } from './options.ts';

export const TAGS = ['openai'];

export const errorsOf = (...faults: readonly ApiError[]) => errorResponsesIn(openAiErrors, faults);

const Segment = Type.Object(
  { id: Type.Integer(), start: Type.Number(), end: Type.Number(), text: Type.String() },
  { description: 'The other fields of OpenAI are null: the models do not report them.' },
);
const Word = Type.Object({ word: Type.String(), start: Type.Number(), end: Type.Number() });
const Usage = Type.Object({ type: Type.Literal('duration'), seconds: Type.Number() });

const Transcription = Type.Object({ text: Type.String(), usage: Usage });
const Verbose = Type.Object({
  task: Type.String({ description: '`transcribe` or `translate`.' }),
  language: Type.Union([Type.String(), Type.Null()], { description: 'English name in lower case.' }),
  duration: Type.Number({ description: 'Seconds.' }),
  text: Type.String(),
  segments: Type.Optional(Type.Array(Segment)),
  words: Type.Optional(Type.Array(Word)),
  usage: Usage,
});

const text = { schema: { type: 'string' } };
const described = describeResponse(
  'The transcription in the requested format.',
  Type.Union([Transcription, Verbose]),
  { json: { text: 'The north wall shows a crack.', usage: { type: 'duration', seconds: 2.4 } } },
  {
    'X-Service-Task-ID': 'The task, which `GET /result/{task_id}` also returns.',
    'X-Service-Warnings':
      'The `warnings` of the result, with a warning: `SPEECH_NOT_RECOGNIZED`, the text is incomplete. Streams have no warnings.',
    'Idempotency-Replayed': '`true` if an earlier request created the task.',
  },
);

export const transcriptionResponse = {
  ...described,
  content: {
    ...described.content,
    'text/plain': text,
    'application/x-subrip': text,
    'text/vtt': text,
    'text/event-stream': { schema: { type: 'string', description: 'With `stream=true`.' } },
  },
};

const options = (values: readonly string[], more: object = {}) => ({ type: 'string', enum: values, ...more });

/** The form of both endpoints. */
export const formOf = ({ models, translate }: { models: readonly string[]; translate: boolean }) => ({
  content: {
    'multipart/form-data': {
      schema: {
        type: 'object',
        required: ['file', 'model'],
        properties: {
          file: {
            type: 'string',
            format: 'binary',
            description: 'The recording; the format is detected from its content.',
          },
          model: options(models),
          ...(!translate && {
            language: { type: 'string', description: 'ISO 639-1, or `auto`. Default: STT_LANGUAGE.' },
          }),
          prompt: { type: 'string', maxLength: MAX_PROMPT_CHARS, description: 'Used by the remote provider.' },
          temperature: { type: 'number', minimum: 0, maximum: 1, description: 'Used by the remote provider.' },
          response_format: options(RESPONSE_FORMATS, { default: 'json' }),
          'timestamp_granularities[]': {
            type: 'array',
            items: options(translate ? ['segment'] : GRANULARITIES),
            description: '`word` needs `verbose_json`.',
          },
          ...(!translate && { stream: { type: 'boolean', default: false, description: 'Server-sent events.' } }),
        },
      },
    },
  },
});
