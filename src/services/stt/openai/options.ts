import { isLanguage } from '../languages.ts';
import { invalidValue, missingField, modelNotFound, unsupportedField } from './errors.ts';

export const RESPONSE_FORMATS = ['json', 'text', 'srt', 'verbose_json', 'vtt'] as const;
export type ResponseFormat = (typeof RESPONSE_FORMATS)[number];

export const GRANULARITIES = ['segment', 'word'] as const;
type Granularity = (typeof GRANULARITIES)[number];

/** Half of Whisper's context, 224 tokens, at 4 characters per token: the limit of other OpenAI-compatible servers. */
export const MAX_PROMPT_CHARS = 896;

export interface TranscriptionOptions {
  readonly model: string;
  /** ISO 639-1, or `auto`. */
  readonly language?: string;
  readonly prompt?: string;
  readonly temperature?: number;
  readonly format: ResponseFormat;
  readonly granularities: readonly Granularity[];
  readonly stream: boolean;
}

type Draft = { -readonly [Key in keyof TranscriptionOptions]?: TranscriptionOptions[Key] };

/**
 * Collects the form fields of a request. `add` throws for an invalid value, so that a field before the file rejects the
 * request before the upload. Ignores unknown fields; an empty value is an absent one.
 */
export function createOptionReader({ models, translate }: { models: readonly string[]; translate: boolean }) {
  const draft: Draft = {};
  return {
    add(name: string, value: string): void {
      const field = name.replace(/\[\]$/, '');
      if (value !== '' && Object.hasOwn(PARSERS, field)) PARSERS[field]!(value, draft, models);
    },

    finish(): TranscriptionOptions {
      const { model, format = 'json', stream = false, granularities = ['segment'] } = draft;
      if (model === undefined) throw missingField('model');
      if (granularities.includes('word') && format !== 'verbose_json')
        throw invalidValue('timestamp_granularities', '`word` needs the `response_format` `verbose_json`.');
      if (granularities.includes('word') && translate)
        throw unsupportedField('timestamp_granularities', 'The words of a translation have no times.');
      if (stream && translate) throw unsupportedField('stream', 'Translations cannot be streamed.');
      if (stream && format !== 'json' && format !== 'text')
        throw invalidValue('response_format', '`stream` requires the `response_format` `json` or `text`.');
      return { ...draft, model, format, stream, granularities };
    },
  };
}

const PARSERS: Readonly<Record<string, (value: string, draft: Draft, models: readonly string[]) => void>> = {
  model(value, draft, models) {
    if (!models.includes(value)) throw modelNotFound(value.slice(0, 100));
    draft.model = value;
  },
  language(value, draft) {
    const code = value.toLowerCase();
    if (code !== 'auto' && !isLanguage(code))
      throw invalidValue('language', '`language` must be an ISO 639-1 code or `auto`.');
    draft.language = code;
  },
  prompt(value, draft) {
    // The form parser has already cut a very long one: its length is not known.
    if (value.length > MAX_PROMPT_CHARS)
      throw invalidValue('prompt', `\`prompt\` must have at most ${MAX_PROMPT_CHARS} characters.`);
    draft.prompt = value;
  },
  temperature(value, draft) {
    const temperature = Number(value);
    if (!(temperature >= 0 && temperature <= 1))
      throw invalidValue('temperature', '`temperature` must be between 0 and 1.');
    draft.temperature = temperature;
  },
  response_format(value, draft) {
    draft.format = oneOf('response_format', value, RESPONSE_FORMATS);
  },
  timestamp_granularities(value, draft) {
    const granularity = oneOf('timestamp_granularities', value, GRANULARITIES);
    draft.granularities = [...(draft.granularities ?? []), granularity];
  },
  stream(value, draft) {
    draft.stream = ['true', '1'].includes(oneOf('stream', value.toLowerCase(), ['true', 'false', '1', '0']));
  },
  include: () => {
    throw unsupportedField('include', 'No model provides log probabilities.');
  },
  known_speaker_names: refuseSpeakers,
  known_speaker_references: refuseSpeakers,
};

function refuseSpeakers(): never {
  throw unsupportedField('known_speaker_names', 'No model distinguishes speakers.');
}

function oneOf<T extends string>(param: string, value: string, allowed: readonly T[]): T {
  const found = allowed.find((each) => each === value);
  if (found !== undefined) return found;
  const names = allowed.map((each) => `\`${each}\``).join(', ');
  throw invalidValue(param, `\`${param}\` must be one of ${names}.`);
}
