import type { Log } from '../../../base/log.ts';
import { rest } from '../../../base/loop.ts';
import { type Recognizer, RecognizerFailed, type Segment, type Window } from '../../../ml/speech/recognizer.ts';
import { TaskFailure } from '../../../tasks/task.ts';
import { FAILURES } from '../failures.ts';
import type { Checkpoint } from '../result.ts';

/** One window may take an engine so long: far more than any needs that is worth waiting for. */
const WINDOW_MS = 600_000;
/** An engine that was told to stop may finish what it computes for so long; afterwards it is left alone with it. */
const LEAVE_MS = 20_000;

export interface Heard {
  readonly service: string;
  /** How far the recording reached. */
  readonly until: number;
  readonly segments: readonly Segment[];
}

interface Needs {
  /** In the order in which they are tried. */
  readonly recognizers: readonly Recognizer[];
  /** The windows of the recording from a second on, none longer than `maxSeconds`, and where there was nothing to hear. */
  readonly windows: (maxSeconds: number, fromSeconds: number) => AsyncIterable<Window | { heardUntil: number }>;
  readonly language: string | undefined;
  /** What another worker had heard. */
  readonly checkpoint: Checkpoint | undefined;
  /** Called whenever more was heard. */
  readonly report: (checkpoint: Checkpoint) => void;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly patience?: { readonly limitMs: number; readonly leaveMs: number };
}

/**
 * The segments of a recording, all by one recognizer: where one fails, the next takes the recording from its beginning,
 * so that the name on the text is the name of who wrote all of it. What an earlier worker has heard is not heard again
 * while its recognizer goes on. Throws a `TaskFailure` when none can.
 */
export async function transcribe(needs: Needs): Promise<Heard> {
  const { recognizers, checkpoint, log, signal } = needs;
  const begun = recognizers.find(({ name }) => name === checkpoint?.provider);
  const order = begun ? [begun, ...recognizers.filter((each) => each !== begun)] : recognizers;
  const failures: RecognizerFailed[] = [];
  for (const recognizer of order) {
    try {
      return await hearAll(recognizer, recognizer === begun ? checkpoint : undefined, needs);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof RecognizerFailed)) throw error;
      log.warn({ err: error, provider: recognizer.name, why: error.why }, 'a provider gave no text');
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

async function hearAll(recognizer: Recognizer, from: Checkpoint | undefined, needs: Needs): Promise<Heard> {
  const { language, report, log, signal } = needs;
  const { name: service, windowSeconds } = recognizer;
  const segments = [...(from?.segments ?? [])];
  let until = from?.until ?? 0;
  for await (const window of needs.windows(windowSeconds, until)) {
    signal.throwIfAborted();
    if ('heardUntil' in window) until = window.heardUntil;
    else {
      log.debug({ provider: service, from: window.start, to: window.end }, 'a window is heard');
      segments.push(...(await hearWindow(recognizer, window, { language, signal, ...needs.patience })));
      until = window.end;
    }
    report({ provider: service, until, segments: [...segments] });
  }
  return { service, until, segments };
}

/** Rejects with `RecognizerFailed` for whatever goes wrong in an engine, and with the signal's reason when told to stop. */
async function hearWindow(
  recognizer: Recognizer,
  window: Window,
  { language, signal, limitMs = WINDOW_MS, leaveMs = LEAVE_MS }: WindowNeeds,
): Promise<readonly Segment[]> {
  const enough = new AbortController();
  const over = new AbortController();
  const stop = () => enough.abort(signal.reason);
  // A timer of its own: a signal made of others may be collected as garbage together with the time-out in it.
  const limit = setTimeout(() => enough.abort(new RecognizerFailed(`Not done after ${limitMs / 1000} s.`)), limitMs);
  signal.addEventListener('abort', stop);
  // What computes in native code cannot be stopped, only left.
  const left = new Promise<never>((_, reject) => {
    enough.signal.addEventListener('abort', () => {
      void rest(leaveMs, over.signal).then(() => reject(enough.signal.reason as Error));
    });
  });
  try {
    return await Promise.race([recognizer.recognize(window, { language, signal: enough.signal }), left]);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof RecognizerFailed) throw error;
    throw new RecognizerFailed('The engine broke.', { transient: true, cause: error });
  } finally {
    clearTimeout(limit);
    signal.removeEventListener('abort', stop);
    over.abort();
  }
}

interface WindowNeeds {
  readonly language: string | undefined;
  readonly signal: AbortSignal;
  readonly limitMs?: number;
  readonly leaveMs?: number;
}
