import { FetchFailed } from '../../../base/fetch-failed.ts';
import type { GuardedFetch } from '../../../base/guarded-fetch.ts';
import { sleep } from '../../../base/loop.ts';
import type { UrlPolicy } from '../../../base/outbound-url.ts';
import { type Recognizer, RecognizerError, type Segment, type Window } from '../../../ml/speech/recognizer.ts';
import { parseSegments } from './remote-segments.ts';

export interface RemoteOptions {
  /** Base URL, such as `https://api.example.com/v1`. Set by the operator, so private addresses and http are allowed. */
  readonly url: string;
  readonly key?: string | undefined;
  readonly model: string;
  readonly name?: string;
  readonly fetch: GuardedFetch;
}

/**
 * A recognizer that uses OpenAI's `POST /audio/transcriptions` (speaches, vLLM, Groq, OpenAI). Requests segment and
 * word times. Retries transient errors up to three times and throws `RecognizerError` without the provider's message,
 * which may contain the key.
 */
export function createRemoteRecognizer({ url, key, model, name = 'remote', fetch }: RemoteOptions): Recognizer {
  const base = `${url.replace(/(?<!\/)\/+$/, '')}/audio/`;
  const policy: UrlPolicy = { kind: 'operator', origin: new URL(base).origin };
  // Some models (gpt-4o-transcribe) reject requests for times.
  let preferredFormat: Format = 'verbose_json';

  async function requestTranscription(
    window: Window,
    { language, translate, prompt, vocabulary, temperature, signal }: RecognizeOptions,
    format: Format,
  ): Promise<readonly Segment[]> {
    const form = new FormData();
    form.set('model', model);
    form.set('response_format', format);
    if (language !== undefined && !translate) form.set('language', language);
    const context = promptOf(prompt, translate ? [] : vocabulary);
    if (context !== '') form.set('prompt', context);
    if (temperature !== undefined) form.set('temperature', String(temperature));
    if (format !== 'json' && !translate)
      for (const each of ['segment', 'word']) form.append('timestamp_granularities[]', each);
    form.set('file', new Blob([wav(window.samples)], { type: 'audio/wav' }), 'window.wav');
    const encoded = new Response(form);
    const { body } = await fetch(`${base}${translate ? 'translations' : 'transcriptions'}`, {
      policy,
      method: 'POST',
      headers: {
        'content-type': encoded.headers.get('content-type')!,
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
      },
      body: Buffer.from(await encoded.arrayBuffer()),
      maxBytes: MAX_RESPONSE_BYTES,
      errorExcerptBytes: MAX_ERROR_BYTES,
      budgets: BUDGETS,
      signal,
    });
    return parseSegments(body.toString(), window, translate ? 'en' : language);
  }

  async function recognize(window: Window, options: RecognizeOptions): Promise<readonly Segment[]> {
    const { signal } = options;
    let format = preferredFormat;
    for (let tries = 1; ; tries++) {
      try {
        const segments = await requestTranscription(window, options, format);
        // Remembered only after a success: the window itself may have been rejected.
        preferredFormat = format;
        return segments;
      } catch (error) {
        signal.throwIfAborted();
        if (format === 'verbose_json' && isFormatRejection(error)) {
          format = 'json';
          continue;
        }
        const failure = failureOf(error, name);
        if (!failure.transient || tries >= MAX_TRIES) throw failure;
        await sleep(waitMs(error, tries), signal);
        signal.throwIfAborted();
      }
    }
  }

  return { name, model, windowSeconds: WINDOW_SECONDS, recognize, async close() {} };
}

type Format = 'verbose_json' | 'json';
type RecognizeOptions = Parameters<Recognizer['recognize']>[1];

/** Half of Whisper's context at 4 characters per token; models use the end of a longer prompt. */
const MAX_PROMPT_CHARS = 896;

/** The prompt and as many terms as fit: a model prefers words of its prompt. */
function promptOf(prompt = '', vocabulary: RecognizeOptions['vocabulary'] = []): string {
  let text = prompt;
  for (const { term } of vocabulary) {
    const longer = text === '' ? term : `${text}, ${term}`;
    if (longer.length > MAX_PROMPT_CHARS) break;
    text = longer;
  }
  return text;
}

/** As short as local windows: limits the work lost with a worker and the request size. */
const WINDOW_SECONDS = 30;
const MAX_RESPONSE_BYTES = 8 * 2 ** 20;
const MAX_ERROR_BYTES = 16 * 2 ** 10;
/** A provider without a GPU may be slow, and responds only when it has finished. */
const BUDGETS = { headersMs: 540_000, idleMs: 60_000, totalMs: 580_000 };
const MAX_TRIES = 3;
const MAX_WAIT_MS = 30_000;

const isFormatRejection = (error: unknown) =>
  error instanceof FetchFailed && (error.status === 400 || error.status === 415 || error.status === 422);

function waitMs(error: unknown, tries: number): number {
  const retryAfter = error instanceof FetchFailed ? error.retryAfterSeconds : undefined;
  return Math.min(MAX_WAIT_MS, retryAfter === undefined ? 1000 * 3 ** (tries - 1) : retryAfter * 1000);
}

function failureOf(error: unknown, name: string): RecognizerError {
  if (error instanceof RecognizerError) return error;
  if (!(error instanceof FetchFailed)) return new RecognizerError(`${name} failed.`, { cause: error });
  const { status, reason } = error;
  if (status === 401 || status === 402 || status === 403 || (status === 429 && isQuotaError(error))) {
    return new RecognizerError(`${name}: access denied or quota exhausted (HTTP ${status}).`, { why: 'quota' });
  }
  const { transient } = error;
  return new RecognizerError(`${name}: ${status === undefined ? reason : `HTTP ${status}`}.`, { transient });
}

/** 429 means either a rate limit, which is transient, or an exhausted quota; a code in the body tells which. */
function isQuotaError({ excerpt }: FetchFailed): boolean {
  return /insufficient_quota|quota_exceeded|billing|credit/i.test(excerpt?.toString() ?? '');
}

const SAMPLE_RATE = 16_000;
const HEADER_BYTES = 44;

/** Encodes 16 kHz mono samples (-1..1) as 16-bit WAV. */
function wav(samples: Float32Array): Buffer {
  const file = Buffer.alloc(HEADER_BYTES + 2 * samples.length);
  file.write('RIFF', 0);
  file.writeUInt32LE(file.length - 8, 4);
  file.write('WAVEfmt ', 8);
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20); // PCM
  file.writeUInt16LE(1, 22); // one channel
  file.writeUInt32LE(SAMPLE_RATE, 24);
  file.writeUInt32LE(2 * SAMPLE_RATE, 28);
  file.writeUInt16LE(2, 32);
  file.writeUInt16LE(16, 34);
  file.write('data', 36);
  file.writeUInt32LE(2 * samples.length, 40);
  for (const [i, sample] of samples.entries()) {
    file.writeInt16LE(Math.round(Math.max(-1, Math.min(1, sample)) * 32_767), HEADER_BYTES + 2 * i);
  }
  return file;
}
