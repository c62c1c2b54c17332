import type { Log } from '../base/log.ts';
import { type Traces, under } from '../base/trace.ts';
import type { Model } from '../services/service.ts';
import type { Claim, TaskStore } from '../tasks/store.ts';
import { BEAT_MS } from '../tasks/workers.ts';
import { type Attempt, beginAttempt } from './attempt.ts';
import { type AttemptOutcome, beginAttemptSpan, endAttemptSpan } from './attempt-span.ts';
import { every } from './every.ts';
import { type Ended, handedBack, openExchange } from './exchange.ts';
import type { WorkMeters } from './meters.ts';

/** How long a gentle stop waits for attempts under way before it hands them back. */
const GRACE_MS = 20_000;
/** For how long what has ended is told to a store that does not answer, before the process ends all the same. */
const SETTLE_MS = 5000;

/** An attempt that does not stop. Whatever thread it has only ends with its process. */
export class StuckAttempt extends Error {
  override readonly name = 'StuckAttempt';
}

/** What attempts are made with. */
export interface AttemptNeeds {
  id: string;
  service: string;
  tasks: TaskStore;
  maxAttempts: number;
  meters: WorkMeters;
  /** Where the spans of attempts go; absent where nothing is traced. */
  traces?: Traces | undefined;
  log: Log;
  signal: AbortSignal;
  /** After this long an attempt that was told to stop is stuck. */
  stuckMs?: number;
}

/** The attempts of one worker: as many at once as its model takes. */
export interface Attempts {
  /** How many are under way. */
  running(): number;
  /**
   * Claims and makes them until `signal` aborts, then finishes what has begun, handing back what takes too long. Rejects
   * with `StuckAttempt` when one is stuck beyond help.
   */
  make(): Promise<void>;
}

export function openAttempts(model: Model, needs: AttemptNeeds): Attempts {
  const { id, service, tasks, meters, log, signal } = needs;
  const attempts = new Map<string, Attempt>();
  let stuck = false;

  /** Counts an attempt, now that it is known what has come of it. */
  const told = ({ claim, processingMs, span, code }: Omit<Ended, 'ending'>, outcome: AttemptOutcome) => {
    meters.processed(claim, processingMs, outcome);
    endAttemptSpan(span, outcome, code);
  };

  const begin = (claim: Claim) => {
    // Claimed by a batch that was under way already: it comes too late to be begun.
    if (signal.aborted || stuck) return exchange.record({ claim, ending: handedBack(claim), processingMs: 0 });
    meters.waited(claim);
    const span = beginAttemptSpan(needs.traces, service, claim);
    const attempt = under(span, () =>
      beginAttempt(claim, model, { ...needs, span, onCheckpoint: () => renewals.now() }),
    );
    const { id: task } = claim;
    // A process that was stopped for a while may claim a task that an attempt of its own has lost and not yet let go.
    attempts.get(task)?.lose();
    attempts.set(task, attempt);
    void attempt.ended.then((end) => {
      if (attempts.get(task) === attempt) attempts.delete(task);
      // It may have waited for a turn all the while, behind the one that still runs: then the time was not its own.
      const blameless = attempt.overtime() && !end.stuck && [...attempts.values()].some((other) => other.overtime());
      const ending = blameless ? handedBack(claim) : end.ending;
      const { processingMs, code } = end;
      stuck ||= end.stuck;
      if (ending) return exchange.record({ claim, ending, processingMs, span, code });
      told({ claim, processingMs, span, code }, 'lost');
      exchange.ring();
    });
  };

  const room = () => {
    const isAlone = [...attempts.values()].some(({ claim }) => claim.alone);
    return signal.aborted || stuck || isAlone ? 0 : model.concurrency - attempts.size;
  };

  const exchange = openExchange({
    ...{ tasks, service, worker: id, concurrency: model.concurrency, log },
    running: () => attempts.size,
    room,
    onClaimed: begin,
    onLateClaims: () => renewals.now(),
    onLostClaim: () => returns.now(),
    // Counted now that the fence has spoken, so that what two workers finished is one task.
    onTold: (ended, recorded) => told(ended, recorded ? ended.ending.outcome : 'lost'),
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
    // Only what is still running: an attempt may have ended while its lease was being renewed, and its task begun anew.
    for (const attempt of leases) {
      const { id: task } = attempt.claim;
      if (!held.has(task) && attempts.get(task) === attempt) attempt.lose();
    }
  };
  const renewals = every(BEAT_MS, renew, log);
  // By themselves: a batch under way has locked these rows, and who runs must not wait for it.
  const unrecorded = every(BEAT_MS, () => tasks.renew(id, exchange.renewals()), log);

  const returns = every(BEAT_MS, () => exchange.returnLostClaims(), log);

  /** What runs beside a stuck attempt has done no wrong: another worker begins it anew, and it is not counted. */
  const spareOthers = () => {
    for (const attempt of attempts.values()) {
      attempt.lose();
      exchange.record({ claim: attempt.claim, ending: handedBack(attempt.claim), processingMs: 0 });
    }
  };

  return {
    running: () => attempts.size,
    async make() {
      const over = new AbortController();
      let grace: NodeJS.Timeout | undefined;
      const stop = () => {
        grace = setTimeout(() => {
          for (const attempt of attempts.values()) attempt.handBack();
        }, GRACE_MS);
        exchange.ring();
      };
      signal.addEventListener('abort', stop, { signal: over.signal });
      tasks.onHint(`waiting:${service}`, exchange.ring, over.signal);
      try {
        await exchange.run(() => !stuck && (!signal.aborted || attempts.size > 0));
        if (stuck) spareOthers();
        await exchange.settle(SETTLE_MS);
      } finally {
        clearTimeout(grace);
        over.abort();
        void renewals.stop();
        void unrecorded.stop();
        void returns.stop();
      }
      if (stuck) throw new StuckAttempt('An attempt does not stop: this process ends, so that its thread ends too.');
    },
  };
}
