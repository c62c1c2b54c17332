import { isStorageUnavailable } from '../base/files/storage-unavailable.ts';
import type { JsonObject } from '../base/json.ts';
import { createLazyLog } from '../base/lazy-log.ts';
import type { Log } from '../base/log.ts';
import { type OnStep, type Span, withSteps } from '../base/trace.ts';
import type { Model } from '../services/shared/service.ts';
import type { AttemptResult, Claim, Renewal } from '../tasks/store.ts';
import { FAILURES, TaskFailure } from '../tasks/task.ts';
import type { StepTime } from '../tasks/timeline.ts';

/** A lease expires this long after its last renewal; then a lost worker's task is requeued. */
export const LEASE_MS = 6000;
/** Delays before the second and third attempt after a transient failure. */
const BACKOFF_MS = [2000, 8000];
/** Retry delay while the file storage is unavailable. */
const STORAGE_RETRY_MS = 5000;
/**
 * An aborted attempt that does not end within this time counts as stuck in native code, and the process exits. Chosen: longer
 * than an inference on a busy machine, which cannot be interrupted.
 */
export const STUCK_TIMEOUT_MS = 30_000;

/** Steps of an attempt whose times are kept, by name. */
const MAX_STEPS = 20;
/** Reason for repeating an attempt that a stopping worker handed back. */
export const WORKER_STOPPED = 'WORKER_STOPPED';

type Reason = 'lost' | 'handed-back' | 'timed-out';

export type Attempt = ReturnType<typeof beginAttempt>;

interface AttemptCompletion {
  readonly result?: AttemptResult | undefined;
  readonly isStuck: boolean;
  /** Without the time in which it waited in the model. */
  readonly processingMs: number;
  /** Code of the failure, transient ones included. */
  readonly code?: string | undefined;
}

/** A claim that the model is processing. */
export function beginAttempt(
  claim: Claim,
  model: Model,
  options: {
    /** Id of the worker that holds the claim. */
    id: string;
    maxAttempts: number;
    log: Log;
    span?: Span | undefined;
    stuckMs?: number | undefined;
    /** Called when the model reports a checkpoint. */
    onCheckpoint?: () => void;
    /** Called when the attempt begins to wait in the model. */
    onWaiting?: () => void;
  },
) {
  const { maxAttempts, stuckMs = STUCK_TIMEOUT_MS } = options;
  const log = createLazyLog(options.log, {
    ...{ task: claim.id, attempt: claim.attempt, request_id: claim.requestId },
    ...(options.span && { trace_id: options.span.traceId }),
  });
  const begun = performance.now();
  let waitedMs = 0;
  let waitingSince: number | undefined;
  const countWaiting = (waiting: boolean) => {
    const now = performance.now();
    if (waitingSince !== undefined) waitedMs += now - waitingSince;
    waitingSince = waiting ? now : undefined;
  };
  const stop = new AbortController();
  let becomeStuck: (settled: Settled) => void;
  const stuck = new Promise<Settled>((resolve) => {
    becomeStuck = resolve;
  });
  let stuckTimer: NodeJS.Timeout | undefined;
  const end = (reason: Reason) => {
    stuckTimer ??= setTimeout(becomeStuck, stuckMs, STUCK);
    stop.abort(reason);
  };
  const startTimeLimit = () => setTimeout(end, model.timeLimitMs, 'timed-out');
  let timeLimit: NodeJS.Timeout | undefined = startTimeLimit();
  const steps = new Map<string, StepTime>();
  const addStep: OnStep = (name, from, to) => {
    const known = steps.get(name);
    if (!known && steps.size >= MAX_STEPS) return;
    const ms = Math.round(to - from);
    const first = { name, fromMs: Math.round(from - begun), ms };
    steps.set(name, known ? { ...known, ms: known.ms + ms, count: (known.count ?? 1) + 1 } : first);
  };
  let pending: { progress?: number; checkpoint?: JsonObject } | undefined;

  const run = () =>
    model.run({
      id: claim.id,
      attempt: claim.attempt,
      worker: options.id,
      input: claim.input,
      ...(claim.checkpoint !== undefined && { checkpoint: claim.checkpoint }),
      log,
      signal: stop.signal,
      report: (progress, checkpoint) => {
        pending = { ...pending, ...(progress !== undefined && { progress }), ...(checkpoint && { checkpoint }) };
        if (checkpoint) options.onCheckpoint?.();
      },
      setWaiting: (waiting) => {
        countWaiting(waiting);
        clearTimeout(timeLimit);
        timeLimit = waiting ? undefined : startTimeLimit();
        if (waiting) options.onWaiting?.();
      },
    });

  const evaluate = (settled: Settled, processingMs: number): Pick<AttemptCompletion, 'result' | 'code'> => {
    const { id, attempt } = claim;
    const { aborted, reason } = stop.signal;
    if (reason === 'lost') return {};
    if ('value' in settled) return { result: { id, attempt, outcome: 'done', processingMs, ...settled.value } };
    if (reason === 'handed-back') return { result: requeuedUncounted(claim, WORKER_STOPPED) };
    const error = aborted ? new TaskFailure(FAILURES.INFERENCE_TIMEOUT) : settled.error;
    // Not a failure of the task: retried uncounted until the file storage is available.
    if (isStorageUnavailable(error)) {
      log.warn(
        { err: error, reason: 'STORAGE_UNAVAILABLE' },
        'the task was requeued until the file storage is available',
      );
      return { result: requeuedUncounted(claim, 'STORAGE_UNAVAILABLE', STORAGE_RETRY_MS) };
    }
    const { code, message, transient } = failureOf(error, log);
    if (!transient || attempt >= maxAttempts) {
      return { result: { id, attempt, outcome: 'failed', failure: { code, message }, processingMs }, code };
    }
    const delayMs = BACKOFF_MS[attempt - 1] ?? BACKOFF_MS.at(-1)!;
    return { result: { id, attempt, outcome: 'again', delayMs, reason: code }, code };
  };

  const outcome = async (): Promise<AttemptCompletion> => {
    const settled = await Promise.race([
      withSteps(options.span, addStep, run).then(
        (value) => ({ value }),
        (error: unknown) => ({ error }),
      ),
      stuck,
    ]);
    clearTimeout(timeLimit);
    clearTimeout(stuckTimer);
    countWaiting(false);
    const processingMs = performance.now() - begun - waitedMs;
    const { result, code } = evaluate(settled, processingMs);
    const withTimes = result && (steps.size > 0 ? { ...result, steps: [...steps.values()] } : result);
    return { result: withTimes, code, isStuck: settled === STUCK, processingMs };
  };

  return {
    claim,
    /** Resolves at the end of the attempt and never rejects. Has no result if the lease was lost. */
    outcome: outcome(),
    isWaiting: () => timeLimit === undefined,
    /** Whether its time limit has passed; attempts queued behind it in the model may then time out too. */
    hasTimedOut: () => stop.signal.reason === 'timed-out',
    /** The lease renewal, with the progress since the last one. */
    renewal(): Renewal {
      const renewal = { id: claim.id, attempt: claim.attempt, leaseMs: LEASE_MS, ...pending };
      pending = undefined;
      return renewal;
    },
    /** Repeats the progress of a renewal that failed in the next one. */
    renewAgain({ progress, checkpoint }: Renewal): void {
      pending = { ...(progress !== undefined && { progress }), ...(checkpoint && { checkpoint }), ...pending };
    },
    /** Stops the attempt and drops its result, after the lease was lost. */
    abandon: () => end('lost'),
    /** Stops the attempt so that another worker starts it again, without counting it. */
    handBack: () => end('handed-back'),
  };
}

type Settled = { readonly value: Awaited<ReturnType<Model['run']>> } | { readonly error: unknown };

/** Only an aborted attempt can be stuck. */
const STUCK: Settled = { error: undefined };

/** A result that requeues the task without counting the attempt. */
export const requeuedUncounted = ({ id, attempt }: Claim, reason: string, delayMs = 0): AttemptResult => ({
  ...{ id, attempt, outcome: 'again', delayMs, reason, uncounted: true },
});

/** A model throws `TaskFailure` for known failures. Any other error is a bug: permanent. */
function failureOf(error: unknown, log: Log): TaskFailure {
  if (error instanceof TaskFailure) {
    log.info(
      { code: error.code, transient: error.transient, ...(error.cause !== undefined && { err: error.cause }) },
      'an attempt failed',
    );
    return error;
  }
  log.error({ err: error }, 'the model threw an unexpected error');
  return new TaskFailure(FAILURES.INFERENCE_FAILED, { cause: error });
}
