import { isStorageAway } from '../base/files/storage-away.ts';
import type { JsonObject } from '../base/json.ts';
import type { Log } from '../base/log.ts';
import { rest } from '../base/loop.ts';
import type { Span } from '../base/trace.ts';
import type { Model } from '../services/service.ts';
import type { Claim, Ending, Renewal } from '../tasks/store.ts';
import { TaskFailure } from '../tasks/task.ts';

/** How long a lease holds without being renewed: what a killed worker costs its tasks. */
export const LEASE_MS = 6000;
/** Waits before the second and the third attempt after a transient failure. */
const BACKOFF_MS = [2000, 8000];
/** Between two looks for a file while the storage of files is away. */
const STORAGE_AWAY_MS = 5000;
/**
 * An attempt that was told to stop and has not done so by then is taken for stuck in native code. Long enough for a whole
 * inference on a crowded machine, since one that has begun cannot be stopped: the price of a false alarm is the process.
 */
export const STUCK_MS = 30_000;

const INFERENCE_TIMEOUT = { code: 'INFERENCE_TIMEOUT', sentence: 'The model took too long over this input.' };
const INFERENCE_FAILED = { code: 'INFERENCE_FAILED', sentence: 'The model could not work on this input.' };

type Reason = 'lost' | 'handed-back' | 'timed-out';

/** One claim while its model works on it. */
export interface Attempt {
  readonly claim: Claim;
  /** Resolves when it is over, and never rejects; no ending where the task is somebody else's by now. */
  readonly ended: Promise<AttemptEnd>;
  /** Its time is up; while it runs on, those that wait for their turn behind it lose theirs. */
  overtime(): boolean;
  /** The prolongation of its lease, with the progress made since the last one. */
  renewal(): Renewal;
  /** The lease is lost: what comes out of this attempt is dropped. */
  lose(): void;
  /** The process stops: another worker is to begin this attempt anew. */
  handBack(): void;
}

/** What has come of an attempt. */
interface AttemptEnd {
  readonly ending?: Ending;
  readonly stuck: boolean;
  readonly processingMs: number;
  /** Of the failure, also of one that another attempt may mend. */
  readonly code?: string;
}

export function beginAttempt(
  claim: Claim,
  model: Model,
  given: {
    /** The id of the worker that holds the claim. */
    id: string;
    maxAttempts: number;
    log: Log;
    span?: Span | undefined;
    stuckMs?: number;
    /** Called when there is something that a successor would want to have. */
    onCheckpoint?: () => void;
  },
): Attempt {
  const { maxAttempts, stuckMs = STUCK_MS } = given;
  const log = given.log.child({
    ...{ task: claim.id, attempt: claim.attempt, request_id: claim.requestId },
    ...(given.span && { trace_id: given.span.traceId }),
  });
  const begun = performance.now();
  const stop = new AbortController();
  const end = (reason: Reason) => stop.abort(reason);
  const timeLimit = setTimeout(end, model.timeLimitMs, 'timed-out');
  let news: { progress?: number; checkpoint?: JsonObject } | undefined;

  const outcome = async (): Promise<AttemptEnd> => {
    const came = await Promise.race([
      model
        .run({
          id: claim.id,
          attempt: claim.attempt,
          worker: given.id,
          input: claim.input,
          ...(claim.checkpoint !== undefined && { checkpoint: claim.checkpoint }),
          log,
          signal: stop.signal,
          report: (progress, checkpoint) => {
            // What was said since the last renewal and is not said anew still holds.
            news = { ...news, ...(progress !== undefined && { progress }), ...(checkpoint && { checkpoint }) };
            if (checkpoint) given.onCheckpoint?.();
          },
        })
        .then(
          (value) => ({ value }),
          (error: unknown) => ({ error }),
        ),
      stuckAfter(stop.signal, stuckMs),
    ]);
    clearTimeout(timeLimit);
    const processingMs = performance.now() - begun;
    const of = { id: claim.id, attempt: claim.attempt };
    const stuck = came === 'stuck';
    if (stop.signal.reason === 'lost') return { stuck, processingMs };
    if (came !== 'stuck' && 'value' in came) {
      return { ending: { ...of, outcome: 'done', processingMs, ...came.value }, stuck, processingMs };
    }
    if (stop.signal.reason === 'handed-back') {
      return { ending: { ...of, outcome: 'again', delayMs: 0, uncounted: true }, stuck, processingMs };
    }
    // No fault of the task: it does not count, and goes on when its files can be read again.
    if (came !== 'stuck' && !stop.signal.aborted && isStorageAway(came.error)) {
      log.info({ err: came.error }, 'the storage of files is away; this attempt will be made again');
      const ending: Ending = { ...of, outcome: 'again', delayMs: STORAGE_AWAY_MS, uncounted: true };
      return { ending, stuck, processingMs };
    }
    const failure = failureOf(
      stop.signal.aborted || came === 'stuck' ? new TaskFailure(INFERENCE_TIMEOUT) : came.error,
      log,
    );
    const { code } = failure;
    if (failure.transient && claim.attempt < maxAttempts) {
      const delayMs = BACKOFF_MS[claim.attempt - 1] ?? BACKOFF_MS.at(-1)!;
      return { ending: { ...of, outcome: 'again', delayMs }, stuck, processingMs, code };
    }
    return { ending: { ...of, outcome: 'failed', failure, processingMs }, stuck, processingMs, code };
  };

  return {
    claim,
    ended: outcome(),
    overtime: () => stop.signal.reason === 'timed-out',
    renewal() {
      const told = news;
      news = undefined;
      return { id: claim.id, attempt: claim.attempt, leaseMs: LEASE_MS, ...told };
    },
    lose: () => end('lost'),
    handBack: () => end('handed-back'),
  };
}

async function stuckAfter(signal: AbortSignal, stuckMs: number): Promise<'stuck'> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  await rest(stuckMs);
  return 'stuck';
}

/** A model says what failed by throwing a `TaskFailure`; anything else is a fault of ours, and not worth a second try. */
function failureOf(error: unknown, log: Log): TaskFailure {
  if (error instanceof TaskFailure) {
    log.info(
      { code: error.code, transient: error.transient, ...(error.cause !== undefined && { err: error.cause }) },
      'an attempt failed',
    );
    return error;
  }
  log.error({ err: error }, 'the model failed in a way it does not explain');
  return new TaskFailure(INFERENCE_FAILED, { cause: error });
}
