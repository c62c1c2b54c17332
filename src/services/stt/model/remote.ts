import { FetchFailed } from '../../../base/fetch-failed.ts';
import type { GuardedFetch } from '../../../base/guarded-fetch.ts';
import { rest } from '../../../base/loop.ts';
import type { UrlPolicy } from '../../../base/outbound-url.ts';
import { type Recognizer, RecognizerFailed, type Segment, type Window } from '../../../ml/speech/recognizer.ts';
import { multipart } from './remote-form.ts';
import { segmentsOf } from './remote-segments.ts';
import { wav } from './remote-wav.ts';

export interface RemoteOptions {
  /** Base address, like `https://api.example.com/v1`; the operator's own choice, so it may be private and plain http. */
  readonly url: string;
  readonly key?: string | undefined;
  readonly model: string;
  /** How results name it. */
  readonly name?: string;
  readonly fetch: GuardedFetch;
}

/**
 * Any provider that speaks OpenAI's `POST /audio/transcriptions` (speaches, vLLM, Groq, OpenAI): windows go there as WAV.
 * Times of segments and words are asked for and taken where the provider has them. What fails in passing is tried three
 * times; then, or at once where that is no use, it fails as a `RecognizerFailed`, without a word of what the provider
 * said: that may hold the key.
 */
export function openRemote({ url, key, model, name = 'remote', fetch }: RemoteOptions): Recognizer {
  const endpoint = `${url.replace(/(?<!\/)\/+$/, '')}/audio/transcriptions`;
  const policy: UrlPolicy = { kind: 'operator', origin: new URL(endpoint).origin };
  // Some models (gpt-4o-transcribe) know no times and refuse to be asked for them.
  let liked: Format = 'verbose_json';

  async function ask(
    window: Window,
    { language, signal }: Parameters<Recognizer['recognize']>[1],
    format: Format,
  ): Promise<readonly Segment[]> {
    const form = multipart(
      [
        ['model', model],
        ['response_format', format],
        ...(language === undefined ? [] : [['language', language] as const]),
        ...(format === 'json' ? [] : GRANULARITIES),
      ],
      { name: 'file', filename: 'window.wav', type: 'audio/wav', bytes: wav(window.samples) },
    );
    const { body } = await fetch(endpoint, {
      policy,
      method: 'POST',
      headers: { 'content-type': form.type, ...(key !== undefined && { authorization: `Bearer ${key}` }) },
      body: form.bytes,
      maxBytes: MOST_ANSWER_BYTES,
      keepRefusalBytes: MOST_REFUSAL_BYTES,
      budgets: BUDGETS,
      signal,
    });
    return segmentsOf(body.toString(), window, language);
  }

  async function recognize(
    window: Window,
    options: Parameters<Recognizer['recognize']>[1],
  ): Promise<readonly Segment[]> {
    const { signal } = options;
    let format = liked;
    for (let tries = 1; ; tries++) {
      try {
        const segments = await ask(window, options, format);
        // Only what was answered tells that it was the times, and not this window, that were refused.
        liked = format;
        return segments;
      } catch (error) {
        signal.throwIfAborted();
        if (format === 'verbose_json' && isRefusal(error)) {
          format = 'json';
          continue;
        }
        const failure = failureOf(error, name);
        if (!failure.transient || tries >= MOST_TRIES) throw failure;
        await rest(waitMs(error, tries), signal);
        signal.throwIfAborted();
      }
    }
  }

  return { name, model, windowSeconds: WINDOW_SECONDS, recognize, async close() {} };
}

type Format = 'verbose_json' | 'json';

/** As short as the local ones: what a killed worker costs is at most one of them, and a request is never large. */
const WINDOW_SECONDS = 30;
const GRANULARITIES = [
  ['timestamp_granularities[]', 'segment'],
  ['timestamp_granularities[]', 'word'],
] as const;
const MOST_ANSWER_BYTES = 8 * 2 ** 20;
const MOST_REFUSAL_BYTES = 16 * 2 ** 10;
/** An own server without a GPU may be slow, and says nothing until it is done. */
const BUDGETS = { headersMs: 540_000, idleMs: 60_000, totalMs: 580_000 };
const MOST_TRIES = 3;
const LONGEST_WAIT_MS = 30_000;

/** Whether the provider did not like the question, rather than us or the moment. */
const isRefusal = (error: unknown) =>
  error instanceof FetchFailed && (error.status === 400 || error.status === 415 || error.status === 422);

function waitMs(error: unknown, tries: number): number {
  const asked = error instanceof FetchFailed ? error.retryAfterSeconds : undefined;
  return Math.min(LONGEST_WAIT_MS, asked === undefined ? 1000 * 3 ** (tries - 1) : asked * 1000);
}

function failureOf(error: unknown, name: string): RecognizerFailed {
  if (error instanceof RecognizerFailed) return error;
  if (!(error instanceof FetchFailed)) return new RecognizerFailed(`${name} failed.`, { cause: error });
  const { status, reason } = error;
  if (status === 401 || status === 402 || status === 403 || (status === 429 && saysQuota(error))) {
    return new RecognizerFailed(`${name} does not let us in, or its budget is spent (HTTP ${status}).`, {
      why: 'quota',
    });
  }
  const { transient } = error;
  return new RecognizerFailed(`${name}: ${status === undefined ? reason : `HTTP ${status}`}.`, { transient });
}

/** "Too many requests" passes; "no money left" does not. Both are 429, told apart by a code in the body. */
function saysQuota({ said }: FetchFailed): boolean {
  return /insufficient_quota|quota_exceeded|billing|credit/i.test(said?.toString() ?? '');
}
