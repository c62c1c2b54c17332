import type { UiTexts } from '../texts.ts';
import { type ApiClient, abortable } from './api.ts';
import { fill } from './fill.ts';
import { RequestError } from './requests.ts';

/** A pending retry: its cause (status 0: the server cannot be reached) and the remaining seconds. */
export type OnRetry = (hitch: { refusal: RequestError; seconds: number } | undefined) => void;

/** Chosen: a person who watches the page does not wait longer for the next attempt. */
const MAX_RETRY_SECONDS = 60;

const isTransient = ({ status }: RequestError) => [0, 429, 503].includes(status);

/** Retries 429 and 503 after `Retry-After`, at most a minute, and lost connections with increasing delays. Other errors are thrown. */
export async function withRetry<T>(
  run: () => Promise<T>,
  onRetry: OnRetry,
  signal: AbortSignal,
  isRetried = isTransient,
): Promise<T> {
  for (let failures = 0; ; failures++) {
    try {
      const result = await run();
      onRetry(undefined);
      return result;
    } catch (error) {
      if (!(error instanceof RequestError && isRetried(error))) throw error;
      for (let secondsLeft = retryDelay(error, Math.min(10, 2 ** failures)); secondsLeft > 0; secondsLeft--) {
        onRetry({ refusal: error, seconds: secondsLeft });
        await sleep(1000, signal);
      }
    }
  }
}

/** Why and when a request is repeated. `sentence`: the error in the language of the page. */
export const retryText = (
  { refusal, seconds }: NonNullable<Parameters<OnRetry>[0]>,
  texts: UiTexts['retry'],
  sentence: string,
): string =>
  fill(refusal.status === 0 ? texts.offline : texts.refused, { sentence: sentence.replace(RETRY_AFTER, '.'), seconds });

/** The seconds at the end of the error of a limit, which are counted down instead. */
const RETRY_AFTER = /[:;.]\s(?:[Tt]ry again in \d+ s|Повторите через \d+ с)\.$/u;

/** Seconds from 1 to 60: those of `Retry-After`, or else `otherwise`. */
export const retryDelay = ({ retryAfterSeconds }: RequestError, otherwise: number): number =>
  Math.min(MAX_RETRY_SECONDS, Math.max(1, retryAfterSeconds ?? otherwise));

export interface TaskProgress {
  readonly status: 'queued' | 'processing' | 'done' | 'failed';
  /** 0..1, if the service reports it. */
  readonly progress?: number;
}

/**
 * Polls a task until it has ended and reports each change. `Prefer: wait` holds a response until the task ends. A
 * change to "processing" does not end a wait, so waits are short at first; `maxWaitSeconds` bounds them for
 * progress display.
 */
export async function pollTask<State extends TaskProgress>(
  api: ApiClient,
  path: string,
  on: { state: (state: State) => void; retry: OnRetry },
  signal: AbortSignal,
  maxWaitSeconds = 10,
): Promise<State> {
  const startedAt = performance.now();
  let previous: Pick<TaskProgress, 'status' | 'progress'> | undefined;
  for (let waitSeconds = 0; ; ) {
    const headers = waitSeconds > 0 ? { prefer: `wait=${waitSeconds}` } : {};
    const state = await withRetry(() => api.call<State>(path, { headers, signal }), on.retry, signal);
    if (state.status !== previous?.status || state.progress !== previous.progress) on.state(state);
    previous = state;
    if (state.status === 'done' || state.status === 'failed') return state;
    const age = (performance.now() - startedAt) / 1000;
    const wait = state.status === 'processing' ? 10 : Math.min(10, 1 + Math.floor(age / 4));
    waitSeconds = Math.min(wait, maxWaitSeconds);
    // Limits the request rate where a proxy drops the `Prefer` header.
    await sleep(age < 1 ? 120 : 300, signal);
  }
}

export const sleep = (ms: number, signal: AbortSignal): Promise<void> =>
  abortable(new Promise((resolve) => setTimeout(resolve, ms)), signal);
