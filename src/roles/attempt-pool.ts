import { isRowError } from '../base/db-errors.ts';
import type { Log } from '../base/log.ts';
import type { Traces } from '../base/trace.ts';
import type { Model } from '../services/shared/service.ts';
import type { Claim, TaskStore } from '../tasks/store.ts';
import { FAILURES } from '../tasks/task.ts';
import { HEARTBEAT_INTERVAL_MS } from '../tasks/workers.ts';
import { type Attempt, beginAttempt, requeuedUncounted, WORKER_STOPPED } from './attempt.ts';
import { startInterval } from './interval.ts';
import type { WorkMetrics } from './metrics.ts';
import { type AttemptOutcome, beginAttemptSpan } from './spans.ts';
import { createTaskSync, type EndedSpan } from './task-sync.ts';

/** A graceful stop waits this long for running attempts before it hands them back. */
const GRACE_MS = 20_000;
/** Attempts that wait in the model and take no slot: their inputs are in memory. */
const MAX_WAITING = 16;
/** A stopping process tries this long to record results in an unavailable database. */
const FLUSH_TIMEOUT_MS = 5000;

/** An attempt that does not stop: its thread ends only with the process. */
export class StuckAttempt extends Error {
  override readonly name = 'StuckAttempt';
}

export interface AttemptPoolDeps {
  id: string;
  service: string;
  tasks: TaskStore;
  maxAttempts: number;
  workMetrics: WorkMetrics;
  /** Absent if tracing is disabled. */
  traces?: Traces | undefined;
  log: Log;
  signal: AbortSignal;
  /** Default: `STUCK_TIMEOUT_MS`. */
  stuckMs?: number;
}

export type AttemptPool = ReturnType<typeof createAttemptPool>;

/** The concurrent attempts of one worker. */
export function createAttemptPool(model: Model, deps: AttemptPoolDeps) {
  const { id, service, tasks, maxAttempts, workMetrics, log, signal, stuckMs } = deps;
  const attempts = new Map<string, Attempt>();
  let stuck = false;
  const onCheckpoint = () => renewals.now();
  const onWaiting = () => exchange.notify();

  const recordOutcome = ({ claim, processingMs, span, code }: EndedSpan, outcome: AttemptOutcome) => {
    workMetrics.observeAttempt(claim, processingMs, outcome);
    span?.end({ 'assay.attempt.outcome': outcome }, code);
  };

  /** A task that a client cancelled was not lost: it must not count for the alert about lost leases. */
  const recordUnheld = async (ended: EndedSpan) => {
    const task = await tasks.read(service, ended.claim.id).catch(() => undefined);
    const isCancelled = task?.status === 'failed' && task.failure.code === FAILURES.CANCELLED.code;
    recordOutcome(ended, isCancelled ? 'cancelled' : 'lost');
  };

  const begin = (claim: Claim) => {
    // A batch in flight claimed it after the stop.
    if (signal.aborted || stuck)
      return exchange.record({ claim, result: requeuedUncounted(claim, WORKER_STOPPED), processingMs: 0 });
    workMetrics.observeWait(claim);
    const span = beginAttemptSpan(deps.traces, service, claim);
    const attempt = beginAttempt(claim, model, { id, maxAttempts, log, span, stuckMs, onCheckpoint, onWaiting });
    const { id: task } = claim;
    // A process that was paused may claim a task while its own lost attempt still runs.
    attempts.get(task)?.abandon();
    attempts.set(task, attempt);
    void attempt.outcome.then((end) => {
      if (attempts.get(task) === attempt) attempts.delete(task);
      // The attempt may have timed out while it waited in the model behind another one.
      const wasBlocked =
        attempt.hasTimedOut() && !end.isStuck && [...attempts.values()].some((other) => other.hasTimedOut());
      const ending = wasBlocked ? requeuedUncounted(claim, 'INFERENCE_TIMEOUT') : end.result;
      const { processingMs, code } = end;
      stuck ||= end.isStuck;
      if (ending) return exchange.record({ claim, result: ending, processingMs, span, code });
      void recordUnheld({ claim, processingMs, span, code });
      exchange.notify();
    });
  };

  const freeSlots = () => {
    const isAlone = [...attempts.values()].some(({ claim }) => claim.alone);
    if (signal.aborted || stuck || isAlone) return 0;
    const waiting = [...attempts.values()].filter((attempt) => attempt.isWaiting()).length;
    return model.concurrency + Math.min(waiting, MAX_WAITING) - attempts.size;
  };

  const exchange = createTaskSync({
    ...{ tasks, service, worker: id, concurrency: model.concurrency, log },
    running: () => attempts.size,
    freeSlots,
    onClaimed: begin,
    onLateClaims: () => renewals.now(),
    onLostClaim: () => returns.now(),
    // Counts after fencing, so that a task finished by two workers counts once.
    onRecorded: (ended, recorded) => (recorded ? recordOutcome(ended, ended.result.outcome) : void recordUnheld(ended)),
  });

  const renew = async () => {
    const leases = [...attempts.values()];
    if (leases.length === 0) return;
    const sent = leases.map((attempt) => attempt.renewal());
    const renewed = await tasks.renew(id, sent).catch((error: unknown) => {
      // A checkpoint that the database rejects would end all leases.
      if (!isRowError(error)) for (const [index, attempt] of leases.entries()) attempt.renewAgain(sent[index]!);
      throw error;
    });
    const held = new Set(renewed);
    // An attempt may have ended during the renewal, and its task started again.
    for (const attempt of leases) {
      const { id: task } = attempt.claim;
      if (!held.has(task) && attempts.get(task) === attempt) attempt.abandon();
    }
  };
  const renewals = startInterval(HEARTBEAT_INTERVAL_MS, renew, log);
  // Separate from running attempts: a batch in flight has locked these rows.
  const unrecorded = startInterval(HEARTBEAT_INTERVAL_MS, () => tasks.renew(id, exchange.renewals()), log);

  const returns = startInterval(HEARTBEAT_INTERVAL_MS, () => exchange.returnLostClaims(), log);

  /** Hands back the attempts beside a stuck one, uncounted. */
  const handBackOthers = () => {
    for (const attempt of attempts.values()) {
      attempt.abandon();
      exchange.record({
        claim: attempt.claim,
        result: requeuedUncounted(attempt.claim, WORKER_STOPPED),
        processingMs: 0,
      });
    }
  };

  return {
    running: () => attempts.size,
    /** Claims and runs tasks until `signal` aborts, then drains. Rejects with `StuckAttempt`. */
    async run(): Promise<void> {
      const ended = new AbortController();
      let grace: NodeJS.Timeout | undefined;
      const stop = () => {
        grace = setTimeout(() => {
          for (const attempt of attempts.values()) attempt.handBack();
        }, GRACE_MS);
        exchange.notify();
      };
      signal.addEventListener('abort', stop, { signal: ended.signal });
      tasks.onHint(`waiting:${service}`, exchange.notify, ended.signal);
      try {
        await exchange.run(() => !stuck && (!signal.aborted || attempts.size > 0));
        if (stuck) handBackOthers();
        await exchange.flush(FLUSH_TIMEOUT_MS);
      } finally {
        clearTimeout(grace);
        ended.abort();
        void renewals.stop();
        void unrecorded.stop();
        void returns.stop();
      }
      if (stuck) throw new StuckAttempt('An attempt does not stop. The process exits to end its thread.');
    },
  };
}
