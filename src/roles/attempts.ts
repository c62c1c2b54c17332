import type { Log } from '../base/log.ts';
import { type Traces, under } from '../base/trace.ts';
import type { Model } from '../services/service.ts';
import type { Claim, TaskStore } from '../tasks/store.ts';
import { BEAT_MS } from '../tasks/workers.ts';
import { type Attempt, beginAttempt } from './attempt.ts';
import { every } from './every.ts';
import { type EndedSpan, handedBack, openExchange } from './exchange.ts';
import type { WorkMeters } from './meters.ts';
import { type AttemptOutcome, beginAttemptSpan, endAttemptSpan } from './spans.ts';

/** A graceful stop waits this long for running attempts before it hands them back. */
const GRACE_MS = 20_000;
/** A stopping process tries this long to record results in an unavailable database. */
const FLUSH_TIMEOUT_MS = 5000;

/** An attempt that does not stop: its thread ends only with the process. */
export class StuckAttempt extends Error {
  override readonly name = 'StuckAttempt';
}

export interface AttemptNeeds {
  id: string;
  service: string;
  tasks: TaskStore;
  maxAttempts: number;
  meters: WorkMeters;
  /** Absent if tracing is disabled. */
  traces?: Traces | undefined;
  log: Log;
  signal: AbortSignal;
  /** Default: `STUCK_TIMEOUT_MS`. */
  stuckMs?: number;
}

/** The concurrent attempts of one worker. */
export interface Attempts {
  running(): number;
  /** Claims and runs tasks until `signal` aborts, then drains. Rejects with `StuckAttempt`. */
  make(): Promise<void>;
}

export function openAttempts(model: Model, deps: AttemptNeeds): Attempts {
  const { id, service, tasks, meters, log, signal } = deps;
  const attempts = new Map<string, Attempt>();
  let stuck = false;

  const recordOutcome = ({ claim, processingMs, span, code }: EndedSpan, outcome: AttemptOutcome) => {
    meters.processed(claim, processingMs, outcome);
    endAttemptSpan(span, outcome, code);
  };

  const begin = (claim: Claim) => {
    // A batch in flight claimed it after the stop.
    if (signal.aborted || stuck) return exchange.record({ claim, ending: handedBack(claim), processingMs: 0 });
    meters.waited(claim);
    const span = beginAttemptSpan(deps.traces, service, claim);
    const attempt = under(span, () =>
      beginAttempt(claim, model, { ...deps, span, onCheckpoint: () => renewals.now() }),
    );
    const { id: task } = claim;
    // A process that was paused may claim a task while its own lost attempt still runs.
    attempts.get(task)?.lose();
    attempts.set(task, attempt);
    void attempt.ended.then((end) => {
      if (attempts.get(task) === attempt) attempts.delete(task);
      // The attempt may have timed out while it waited in the model behind another one.
      const wasBlocked = attempt.overtime() && !end.stuck && [...attempts.values()].some((other) => other.overtime());
      const ending = wasBlocked ? handedBack(claim) : end.ending;
      const { processingMs, code } = end;
      stuck ||= end.stuck;
      if (ending) return exchange.record({ claim, ending, processingMs, span, code });
      recordOutcome({ claim, processingMs, span, code }, 'lost');
      exchange.ring();
    });
  };

  const freeSlots = () => {
    const isAlone = [...attempts.values()].some(({ claim }) => claim.alone);
    return signal.aborted || stuck || isAlone ? 0 : model.concurrency - attempts.size;
  };

  const exchange = openExchange({
    ...{ tasks, service, worker: id, concurrency: model.concurrency, log },
    running: () => attempts.size,
    room: freeSlots,
    onClaimed: begin,
    onLateClaims: () => renewals.now(),
    onLostClaim: () => returns.now(),
    // Counts after fencing, so that a task finished by two workers counts once.
    onTold: (ended, recorded) => recordOutcome(ended, recorded ? ended.ending.outcome : 'lost'),
  });

  const renew = async () => {
    const leases = [...attempts.values()];
    if (leases.length === 0) return;
    const held = new Set(
      await tasks.renew(
        id,
        leases.map((attempt) => attempt.renewal()),
      ),
    );
    // An attempt may have ended during the renewal, and its task started again.
    for (const attempt of leases) {
      const { id: task } = attempt.claim;
      if (!held.has(task) && attempts.get(task) === attempt) attempt.lose();
    }
  };
  const renewals = every(BEAT_MS, renew, log);
  // Separate from running attempts: a batch in flight has locked these rows.
  const unrecorded = every(BEAT_MS, () => tasks.renew(id, exchange.renewals()), log);

  const returns = every(BEAT_MS, () => exchange.returnLostClaims(), log);

  /** Hands back the attempts beside a stuck one, uncounted. */
  const handBackOthers = () => {
    for (const attempt of attempts.values()) {
      attempt.lose();
      exchange.record({ claim: attempt.claim, ending: handedBack(attempt.claim), processingMs: 0 });
    }
  };

  return {
    running: () => attempts.size,
    async make() {
      const ended = new AbortController();
      let grace: NodeJS.Timeout | undefined;
      const stop = () => {
        grace = setTimeout(() => {
          for (const attempt of attempts.values()) attempt.handBack();
        }, GRACE_MS);
        exchange.ring();
      };
      signal.addEventListener('abort', stop, { signal: ended.signal });
      tasks.onHint(`waiting:${service}`, exchange.ring, ended.signal);
      try {
        await exchange.run(() => !stuck && (!signal.aborted || attempts.size > 0));
        if (stuck) handBackOthers();
        await exchange.settle(FLUSH_TIMEOUT_MS);
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
