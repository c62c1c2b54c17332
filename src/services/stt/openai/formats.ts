import type { Recorded } from '../result.ts';
import { FORMATS } from '../transcript/formats.ts';
import { unsupportedField } from './errors.ts';
import type { TranscriptionOptions } from './options.ts';
import type { Received } from './receive.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

/** The body of a transcription in the requested format. */
export function present(
  result: Recorded,
  { options: { format, granularities }, translate }: Pick<Received, 'options' | 'translate'>,
): { type: string; body: string } {
  switch (format) {
    case 'json':
      return { type: JSON_TYPE, body: JSON.stringify({ text: result.transcription, usage: usageOf(result) }) };
    case 'verbose_json':
      return {
        type: JSON_TYPE,
        body: JSON.stringify(verbose(result, granularities, translate ? 'translate' : 'transcribe')),
      };
    case 'text':
      return { type: FORMATS.txt.type, body: FORMATS.txt.write(result) };
    case 'srt':
    case 'vtt':
      return { type: FORMATS[format].type, body: FORMATS[format].write(result) };
  }
}

const usageOf = ({ duration_seconds: seconds }: Recorded) => ({ type: 'duration', seconds });

function verbose(result: Recorded, granularities: TranscriptionOptions['granularities'], task: string) {
  return {
    task,
    language: result.language === undefined ? null : nameOf(result.language),
    duration: result.duration_seconds,
    text: result.transcription,
    ...(granularities.includes('segment') && { segments: segmentsOf(result) }),
    ...(granularities.includes('word') && { words: wordsOf(result) }),
    usage: usageOf(result),
  };
}

/** What the engines do not report is null: clients read these fields without checking that they exist. */
const UNKNOWN = {
  seek: null,
  tokens: null,
  temperature: null,
  avg_logprob: null,
  compression_ratio: null,
  no_speech_prob: null,
};

const segmentsOf = ({ segments }: Recorded) =>
  segments.map(({ start, end, text }, id) => ({ id, start, end, text, ...UNKNOWN }));

function wordsOf({ words, segments }: Recorded) {
  if (words === undefined && segments.length > 0)
    throw unsupportedField('timestamp_granularities', 'The model provides no word times; request `segment`.');
  return (words ?? []).map(({ text, start, end }) => ({ word: text, start, end }));
}

const NAMES = new Intl.DisplayNames('en', { type: 'language' });

/** OpenAI names languages in English: `english`. */
const nameOf = (code: string) => (NAMES.of(code) ?? code).toLowerCase();
