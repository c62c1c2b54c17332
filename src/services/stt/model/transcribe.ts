import type { Log } from '../../../base/log.ts';
import { sleep } from '../../../base/loop.ts';
import type { WindowLimits } from '../../../ml/audio/windows.ts';
import {
  type RecognitionRequest,
  type Recognizer,
  RecognizerError,
  type Segment,
  type Window,
} from '../../../ml/speech/recognizer.ts';
import { createSpelling } from '../../../ml/speech/spoken-forms.ts';
import { TaskFailure } from '../../../tasks/task.ts';
import { FAILURES } from '../failures.ts';

/** Time limit per window, far above normal processing times. */
const WINDOW_MS = 600_000;
/** How long an aborted provider may continue before it is abandoned. */
const GRACE_MS = 20_000;

/** The progress of a recording, from which another worker can continue. */
export interface Checkpoint {
  /** Only this recognizer with this model can continue from the checkpoint, so that a transcript has one model. */
  readonly provider: string;
  readonly model: string;
  /** The processed duration in seconds. */
  readonly until: number;
  /** `withoutSpeech`: a window in which only the detector found speech. */
  readonly segments: readonly (Segment & { readonly withoutSpeech?: true })[];
}

export interface RecognizedSegments {
  readonly service: string;
  /** In seconds. */
  readonly until: number;
  /** Without text: speech was detected that the recognizer did not recognize. */
  readonly segments: readonly Segment[];
}

interface TranscribeOptions {
  readonly recognizers: readonly Recognizer[];
  /** The windows from a second on, and the positions of skipped silence. */
  readonly windows: (limits: WindowLimits, fromSeconds: number) => AsyncIterable<Window | { processedUntil: number }>;
  readonly request: RecognitionRequest;
  /** Of an earlier attempt. */
  readonly checkpoint: Checkpoint | undefined;
  readonly report: (checkpoint: Checkpoint) => void;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly windowTimeouts?: { readonly limitMs: number; readonly graceMs: number };
}

/**
 * Transcribes a recording with one recognizer. If it fails, the next one starts from the beginning, so that the result
 * has a single source. Continues from a checkpoint of the same recognizer and model. Throws a `TaskFailure` if all fail.
 */
export async function transcribe(options: TranscribeOptions): Promise<RecognizedSegments> {
  const { recognizers, checkpoint, log, signal } = options;
  const started = recognizers.find(({ name, model }) => name === checkpoint?.provider && model === checkpoint.model);
  const order = started ? [started, ...recognizers.filter((each) => each !== started)] : recognizers;
  const failures: RecognizerError[] = [];
  for (const recognizer of order) {
    try {
      return await transcribeAll(recognizer, recognizer === started ? checkpoint : undefined, options);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof RecognizerError)) throw error;
      log.warn({ err: error, provider: recognizer.name, why: error.why }, 'a speech recognition provider failed');
      failures.push(error);
    }
  }
  const transient = failures.some((failure) => failure.transient);
  const quota = failures.every(({ why }) => why === 'quota');
  throw new TaskFailure(quota ? FAILURES.providerQuota : FAILURES.providerFailed, {
    transient,
    cause: failures.at(-1),
  });
}

async function transcribeAll(
  recognizer: Recognizer,
  from: Checkpoint | undefined,
  options: TranscribeOptions,
): Promise<RecognizedSegments> {
  const { request, report, log, signal } = options;
  const spell = createSpelling(request.translate ? [] : (request.vocabulary ?? []));
  const { name: service, model, windowSeconds, maxPauseSeconds, parallel = 1 } = recognizer;
  const segments = [...(from?.segments ?? [])];
  let until = from?.until ?? 0;
  const running: { readonly until: number; readonly recognized: Promise<Checkpoint['segments']> }[] = [];
  const finishFirst = async () => {
    const first = running.shift()!;
    segments.push(...(await first.recognized));
    until = first.until;
    report({ provider: service, model, until, segments: [...segments] });
  };
  const stop = new AbortController();
  const onAbort = () => stop.abort(signal.reason);
  signal.addEventListener('abort', onAbort);
  const start = (window: Window) => {
    log.debug({ provider: service, from: window.start, to: window.end }, 'transcribing a window');
    const recognized = transcribeWindow(recognizer, window, {
      request,
      signal: stop.signal,
      ...options.windowTimeouts,
    }).then((found) =>
      found.length > 0 ? spell(found) : [{ ...timesOf(window), text: '', withoutSpeech: true as const }],
    );
    // An earlier window may fail first.
    recognized.catch(() => {});
    return { until: window.end, recognized };
  };
  try {
    for await (const window of options.windows({ maxSeconds: windowSeconds, maxPauseSeconds }, until)) {
      signal.throwIfAborted();
      const isSilent = 'processedUntil' in window;
      running.push(isSilent ? { until: window.processedUntil, recognized: Promise.resolve([]) } : start(window));
      if (running.length >= parallel) await finishFirst();
    }
    while (running.length > 0) await finishFirst();
  } finally {
    signal.removeEventListener('abort', onAbort);
    stop.abort();
  }
  // A cough in a recording with text is no missing speech.
  const hasText = segments.some(({ text }) => text !== '');
  return { service, until, segments: hasText ? segments.filter(({ withoutSpeech }) => !withoutSpeech) : segments };
}

const timesOf = ({ start, end }: Window) => ({ start, end });

/** Rejects with `RecognizerError` for any provider error, or with the reason of `signal`. */
async function transcribeWindow(
  recognizer: Recognizer,
  window: Window,
  { request, signal, limitMs = WINDOW_MS, graceMs = GRACE_MS }: WindowOptions,
): Promise<readonly Segment[]> {
  const abort = new AbortController();
  const finished = new AbortController();
  const onAbort = () => abort.abort(signal.reason);
  // Not `AbortSignal.any` with a timeout signal: both can be garbage-collected.
  const timeout = new RecognizerError(`Timed out after ${limitMs / 1000} s.`, { transient: true });
  const limit = setTimeout(() => abort.abort(timeout), limitMs);
  signal.addEventListener('abort', onAbort);
  // Native code cannot be interrupted.
  const abandoned = new Promise<never>((_, reject) => {
    abort.signal.addEventListener('abort', () => {
      void sleep(graceMs, finished.signal).then(() => reject(abort.signal.reason as Error));
    });
  });
  try {
    return await Promise.race([recognizer.recognize(window, { ...request, signal: abort.signal }), abandoned]);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof RecognizerError) throw error;
    throw new RecognizerError('Unexpected provider error.', { transient: true, cause: error });
  } finally {
    clearTimeout(limit);
    signal.removeEventListener('abort', onAbort);
    finished.abort();
  }
}

interface WindowOptions {
  readonly request: RecognitionRequest;
  readonly signal: AbortSignal;
  readonly limitMs?: number;
  readonly graceMs?: number;
}
