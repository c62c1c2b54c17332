import { isOutcomeUnknown, isRowError } from '../base/db-errors.ts';
import type { Log } from '../base/log.ts';
import { createSignal } from '../base/loop.ts';
import type { Span } from '../base/trace.ts';
import { MAX_CLAIMS } from '../tasks/complete-and-claim.ts';
import type { AttemptResult, Claim, CompleteAndClaimResult, Renewal, TaskStore } from '../tasks/store.ts';
import { LEASE_MS } from './attempt.ts';

/** A busy worker batches results that arrive within this time. */
const BATCH_WINDOW_MS = 30;
/** Batches in flight: one is committed while the next one is prepared. */
const MAX_BATCHES = 2;
/** Claim numbers are stored in a 4-byte column. */
const CLAIM_NUMBERS = 2 ** 31;
/** Longest delay between retries; any notification ends it early. */
const MAX_BACKOFF_MS = 1000;

/** After a slower response, the lease cannot wait for the next regular renewal. */
const LATE_MS = 1000;
/** A claim without a response may still be executed for this long (TCP retransmission). */
const LOST_CLAIM_MS = 15 * 60_000;
/** Pause between tries to record a result that the database rejects. */
const REJECTED_RETRY_MS = 10_000;

/** An attempt result to be recorded, with the data of its metrics. */
export interface EndedAttempt extends EndedSpan {
  readonly result: AttemptResult;
}

/** The metrics and span of an ended attempt. */
export interface EndedSpan {
  readonly claim: Claim;
  readonly processingMs: number;
  readonly span?: Span | undefined;
  /** Code of the failure, transient ones included. */
  readonly code?: string | undefined;
}

/** Exchanges attempt results for new claims with the database; lease renewals are separate. */
export function createTaskSync(deps: {
  tasks: TaskStore;
  service: string;
  worker: string;
  concurrency: number;
  /** Number of running attempts. */
  running: () => number;
  /** Number of attempts that may start, including those requested by batches in flight; 0 beside an attempt made alone. */
  freeSlots: () => number;
  onClaimed: (claim: Claim) => void;
  /** The response to a claim was late: renew its leases at once. */
  onLateClaims: () => void;
  /** A claim had no response: call `returnLostClaims` before its leases expire. */
  onLostClaim: () => void;
  /** `recorded` is false if fencing rejected the result. */
  onRecorded: (ended: EndedAttempt, recorded: boolean) => void;
  log: Log;
}) {
  const { tasks, service, worker, concurrency, log } = deps;
  const wakeSignal = createSignal();
  const batches = new Set<Batch>();
  const waiting: EndedAttempt[] = [];
  /**
   * Results of a batch that the database rejected, with the time of the next try. They are sent one by one, so that only the
   * rejected one waits.
   */
  const rejected = new Map<EndedAttempt, number>();
  /** Claims without a response, with the time of the failure. */
  const lostClaims = new Map<number, number>();
  let lastClaim = 0;
  let claimPending = true;
  /** Whether tasks without a later notification may wait, such as one to be claimed alone by this worker when it is idle. */
  let moreMayWait = false;
  let failures = 0;
  let backoff: NodeJS.Timeout | undefined;

  const wake = () => {
    clearTimeout(backoff);
    backoff = undefined;
    wakeSignal.notify();
  };
  const ring = () => {
    claimPending = true;
    wake();
  };

  const nextClaim = () => {
    lastClaim = (lastClaim + 1) % CLAIM_NUMBERS;
    return lastClaim;
  };
  const dueAgain = () => [...rejected].filter(([, at]) => at <= performance.now()).map(([ended]) => ended);

  /** Sends batches; only one at a time while the database fails. */
  const send = () => {
    while (backoff === undefined && batches.size < (failures > 0 ? 1 : MAX_BATCHES)) {
      const requested = [...batches].reduce((sum, { limit }) => sum + limit, 0);
      const busy = deps.running() + batches.size > 0;
      // The claim of an idle worker may return a task that runs alone.
      const mayClaim = ![...batches].some((batch) => !batch.busy && batch.limit > 0);
      const [alone] = dueAgain();
      if (alone) {
        rejected.delete(alone);
        void sendBatch({ claim: nextClaim(), limit: 0, busy, endings: [alone] });
        continue;
      }
      const free = mayClaim ? Math.max(0, deps.freeSlots() - requested) : 0;
      // What the last claim did not find arrives with a notification, except for `moreMayWait`. Half of the slots per batch,
      // so that the other half works while this batch is committed.
      const limit =
        rejected.size < MAX_CLAIMS && (claimPending || (moreMayWait && waiting.length > 0))
          ? Math.min(free, Math.ceil(concurrency / 2), MAX_CLAIMS)
          : 0;
      if (limit === 0 && waiting.length === 0) return;
      if (limit > 0 && (limit === free || waiting.length === 0)) claimPending = false;
      if (limit > 0) moreMayWait = busy;
      void sendBatch({ claim: nextClaim(), limit, busy, endings: waiting.splice(0) });
    }
  };

  const sendBatch = async (batch: Batch) => {
    batches.add(batch);
    const begun = performance.now();
    const response = await tasks
      .completeAndClaim(
        batch.endings.map(({ result }) => result),
        { service, worker, limit: batch.limit, leaseMs: LEASE_MS, claim: batch.claim, busy: batch.busy },
      )
      .catch((error: unknown) => ({ error }));
    batches.delete(batch);
    if ('error' in response) return backOff(batch, response.error);
    failures = 0;
    moreMayWait ||= response.moreMayWait === true;
    response.claimed.forEach(deps.onClaimed);
    if (response.claimed.length > 0 && performance.now() - begun > LATE_MS) deps.onLateClaims();
    reportRecorded(batch.endings, response);
    // More tasks may wait.
    if (batch.limit > 0 && response.claimed.length === batch.limit) claimPending = true;
    // A task to be claimed alone may have been held back from the busy worker, which is idle now.
    if (batch.limit > 0 && batch.busy && deps.running() + batches.size === 0) claimPending = true;
    wake(); // ends the backoff of a batch that failed meanwhile
  };

  /** Results are sent again; fencing rejects those that were already recorded or are too late. */
  const backOff = ({ claim, limit, endings }: Batch, error: unknown) => {
    if (!isRowError(error)) waiting.unshift(...endings);
    else if (limit === 0 && endings.length === 1) return keepRejected(endings[0]!, error);
    else sendAlone(endings);
    if (limit > 0 && isOutcomeUnknown(error)) {
      lostClaims.set(claim, performance.now());
      deps.onLostClaim();
    }
    failures++;
    log.warn(
      { err: error },
      isRowError(error)
        ? 'the database rejected results; retrying them one by one'
        : 'the database is unavailable; retrying',
    );
    clearTimeout(backoff);
    backoff = setTimeout(ring, Math.min(100 * 2 ** failures, MAX_BACKOFF_MS)).unref();
  };

  const sendAlone = (endings: Iterable<EndedAttempt>) => {
    for (const ended of endings) rejected.set(ended, 0);
  };

  const keepRejected = (ended: EndedAttempt, error: unknown) => {
    log.error({ err: error, task: ended.result.id }, 'the database rejects the result of a task; retrying');
    rejected.set(ended, performance.now() + REJECTED_RETRY_MS);
    setTimeout(wake, REJECTED_RETRY_MS).unref();
    wake();
  };

  const reportRecorded = (endings: readonly EndedAttempt[], { ended: ids, notified }: CompleteAndClaimResult) => {
    const recorded = new Set(ids);
    for (const ended of endings) deps.onRecorded(ended, recorded.has(ended.result.id));
    if (recorded.size > 0 && !notified) tasks.hint('finished', ids);
    if (endings.some(({ result }) => isHandedBack(result))) tasks.hint(`waiting:${service}`);
    const late = endings.length - recorded.size;
    if (late > 0) log.info({ late }, 'results of tasks that had been cancelled or requeued were discarded');
  };

  /** While more than half of the slots are busy, waits for more results to batch. */
  const gather = async (isActive: () => boolean) => {
    const until = performance.now() + BATCH_WINDOW_MS;
    const mayWait = () => isActive() && waiting.length > 0 && deps.running() > concurrency / 2;
    for (let left = BATCH_WINDOW_MS; left > 0 && mayWait(); left = until - performance.now())
      await wakeSignal.wait(left);
  };

  /**
   * Requeues tasks of claims without a response, whose expired leases would count as attempts. Call repeatedly: the database
   * may execute such a claim later.
   */
  const returnLostClaims = async () => {
    const unknown = [...lostClaims.keys()];
    if (unknown.length === 0) return;
    const oldest = performance.now() - LOST_CLAIM_MS;
    const returned = await tasks.returnClaims(worker, unknown);
    for (const claim of returned) lostClaims.delete(claim);
    for (const [claim, at] of lostClaims) if (at < oldest) lostClaims.delete(claim);
    if (returned.length === 0) return;
    tasks.hint(`waiting:${service}`);
    log.warn({ claims: returned.length }, 'tasks of claims without a response were requeued');
  };

  return {
    /** Claims now, also during a backoff: tasks may wait, or a slot may be free. */
    notify: ring,
    /** Queues a result for recording. */
    record(ended: EndedAttempt): void {
      waiting.push(ended);
      wake();
    },
    /** Lease renewals for unrecorded results, so that they survive an outage of the database. */
    renewals: (): Renewal[] =>
      [...waiting, ...rejected.keys(), ...[...batches].flatMap(({ endings }) => endings)].map(
        ({ claim: { id, attempt } }) => ({
          ...{ id, attempt, leaseMs: LEASE_MS },
        }),
      ),
    /** Records results and claims tasks while `isActive()`; call `notify` when that changes. */
    async run(isActive: () => boolean): Promise<void> {
      while (isActive()) {
        send();
        await wakeSignal.wait();
        await gather(isActive);
      }
    },
    returnLostClaims,
    /** Records all results within `ms`, then returns lost claims. */
    async flush(ms: number): Promise<void> {
      let late = false;
      sendAlone([...rejected.keys()]);
      const deadline = setTimeout(() => {
        late = true;
        ring();
      }, ms);
      while (!late && waiting.length + batches.size + dueAgain().length > 0) {
        send();
        await wakeSignal.wait();
      }
      clearTimeout(deadline);
      clearTimeout(backoff);
      for (const { claim, limit } of batches) if (limit > 0) lostClaims.set(claim, performance.now());
      await returnLostClaims().catch((err) =>
        log.warn({ err }, 'returning lost claims failed; their leases will expire'),
      );
    },
  };
}

/** A request in flight. */
interface Batch {
  readonly claim: number;
  readonly endings: readonly EndedAttempt[];
  readonly limit: number;
  readonly busy: boolean;
}

const isHandedBack = (ending: AttemptResult) =>
  ending.outcome === 'again' && ending.uncounted === true && ending.delayMs === 0;
