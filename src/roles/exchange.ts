import { isUndecided } from '../base/db-errors.ts';
import type { Log } from '../base/log.ts';
import { createBell } from '../base/loop.ts';
import type { Span } from '../base/trace.ts';
import type { Claim, Ending, Renewal, TaskStore } from '../tasks/store.ts';
import { LEASE_MS } from './attempt.ts';

/** What ends within this time of a busy worker is written down together. */
const GATHER_MS = 30;
/** While one batch is committed, the next one is prepared. */
const BATCHES = 2;
/** Claims are numbered in a column of four bytes. */
const MOST_CLAIMS = 2 ** 31;
/** Between two tries while the store does not answer, unless somebody rings before; the look at the table rings every second. */
const LONGEST_PAUSE_MS = 1000;

/** An answer that took longer than this leaves too little of the lease to wait for the next renewal. */
const LATE_MS = 1000;
/** For how long a claim without an answer may still be carried out: as long as TCP delivers what was sent before. */
const LOST_CLAIM_MS = 15 * 60_000;

/** An ending that is to be recorded, and what is counted once it is. */
export interface Ended {
  readonly claim: Claim;
  readonly ending: Ending;
  readonly processingMs: number;
  readonly span?: Span | undefined;
  /** Of its failure, also of one that another attempt may mend. */
  readonly code?: string | undefined;
}

/** All that a worker tells the store of its tasks and hears of them, but for the prolonging of leases. */
export interface Exchange {
  /** Something may wait, or there may be room for more: looks now, also while the store is being left in peace. */
  ring(): void;
  /** Takes an ending, which counts as unrecorded until the store has answered. */
  record(ended: Ended): void;
  /** Prolongations for what has ended and is not recorded: a result must not be lost with its lease while the store is away. */
  renewals(): Renewal[];
  /** Tells what has ended, and claims for whatever room there is, while `goesOn`; ring when that changes. */
  run(goesOn: () => boolean): Promise<void>;
  /**
   * Returns what was claimed by requests whose answer never came: nobody works on it, and its lease would run out and count
   * as an attempt. Repeat this: the store may carry such a request out at any time.
   */
  returnLostClaims(): Promise<void>;
  /** Tells what has ended, until all is recorded or `ms` are over, then returns what was claimed without an answer. */
  settle(ms: number): Promise<void>;
}

export function openExchange(needs: {
  tasks: Pick<TaskStore, 'advance' | 'hint' | 'returnClaims'>;
  service: string;
  worker: string;
  /** How many attempts this worker makes at once. */
  concurrency: number;
  /** How many it is making. */
  running: () => number;
  /** How many more may begin, none beside one that is to be alone; what batches under way have asked for is subtracted here. */
  room: () => number;
  onClaimed: (claim: Claim) => void;
  /** The answer to a claim took so long that its leases have to be renewed at once. */
  onLateClaims: () => void;
  /** A claim was given up: call `returnLostClaims` at once, before its leases run out. */
  onLostClaim: () => void;
  /** The store has answered; `recorded` is false where the fence has refused the ending. */
  onTold: (ended: Ended, recorded: boolean) => void;
  log: Log;
}): Exchange {
  const { tasks, service, worker, concurrency, log } = needs;
  const bell = createBell();
  const batches = new Set<Batch>();
  const waiting: Ended[] = [];
  /** Numbers of claims that were given up, and when. */
  const lostClaims = new Map<number, number>();
  let claims = 0;
  let called = true;
  let failures = 0;
  let pause: NodeJS.Timeout | undefined;

  const wake = () => {
    clearTimeout(pause);
    pause = undefined;
    bell.ring();
  };
  const ring = () => {
    called = true;
    wake();
  };

  /** Begins as many batches as may be under way: one while the store fails. */
  const send = () => {
    while (pause === undefined && batches.size < (failures > 0 ? 1 : BATCHES)) {
      const asked = [...batches].reduce((sum, { limit }) => sum + limit, 0);
      const busy = needs.running() + batches.size > 0;
      // What a worker that holds nothing has asked for may be a task that is to be alone.
      const mayAsk = ![...batches].some((batch) => !batch.busy && batch.limit > 0);
      const free = mayAsk ? Math.max(0, needs.room() - asked) : 0;
      // Half of it: with a long queue, the other half is worked on or asked for while this one is being written down.
      const limit = called || waiting.length > 0 ? Math.min(free, Math.ceil(concurrency / 2)) : 0;
      if (limit === 0 && waiting.length === 0) return;
      if (limit > 0 && (limit === free || waiting.length === 0)) called = false;
      claims = (claims + 1) % MOST_CLAIMS;
      void exchange({ claim: claims, limit, busy, endings: waiting.splice(0) });
    }
  };

  const exchange = async (batch: Batch) => {
    batches.add(batch);
    const begun = performance.now();
    const answer = await tasks
      .advance(
        batch.endings.map(({ ending }) => ending),
        { service, worker, limit: batch.limit, leaseMs: LEASE_MS, claim: batch.claim, busy: batch.busy },
      )
      .catch((error: unknown) => ({ error }));
    batches.delete(batch);
    if ('error' in answer) return leaveInPeace(batch, answer.error);
    failures = 0;
    answer.claimed.forEach(needs.onClaimed);
    if (answer.claimed.length > 0 && performance.now() - begun > LATE_MS) needs.onLateClaims();
    tell(batch.endings, new Set(answer.ended));
    // It got all it asked for, so there may be more.
    if (batch.limit > 0 && answer.claimed.length === batch.limit) called = true;
    // It was given nothing while it held something, which may be different now.
    if (batch.limit > 0 && batch.busy && needs.running() + batches.size === 0) called = true;
    wake(); // also where another batch has failed meanwhile: the store is there
  };

  /** Nothing is lost: the endings are sent again, and the fence refuses those that then come too late. */
  const leaveInPeace = ({ claim, limit, endings }: Batch, error: unknown) => {
    waiting.unshift(...endings);
    if (limit > 0 && isUndecided(error)) {
      lostClaims.set(claim, performance.now());
      needs.onLostClaim();
    }
    failures++;
    log.warn({ err: error }, 'the store does not answer; work goes on when it does');
    clearTimeout(pause);
    pause = setTimeout(ring, Math.min(100 * 2 ** failures, LONGEST_PAUSE_MS)).unref();
  };

  const tell = (endings: readonly Ended[], recorded: ReadonlySet<string>) => {
    for (const ended of endings) needs.onTold(ended, recorded.has(ended.ending.id));
    if (recorded.size > 0) tasks.hint('finished', [...recorded]);
    if (endings.some(({ ending }) => isHandedBack(ending))) tasks.hint(`waiting:${service}`);
    const late = endings.length - recorded.size;
    if (late > 0) log.warn({ late }, 'endings came too late to count');
  };

  /** With plenty still in hand, an ending waits for company: one statement then ends and claims several tasks. */
  const gather = async (goesOn: () => boolean) => {
    const until = performance.now() + GATHER_MS;
    const mayWait = () => goesOn() && waiting.length > 0 && needs.running() > concurrency / 2;
    for (let left = GATHER_MS; left > 0 && mayWait(); left = until - performance.now()) await bell.wait(left);
  };

  const returnLostClaims = async () => {
    const unknown = [...lostClaims.keys()];
    if (unknown.length === 0) return;
    const longAgo = performance.now() - LOST_CLAIM_MS;
    const returned = await tasks.returnClaims(worker, unknown);
    for (const claim of returned) lostClaims.delete(claim);
    for (const [claim, at] of lostClaims) if (at < longAgo) lostClaims.delete(claim);
    if (returned.length === 0) return;
    tasks.hint(`waiting:${service}`);
    log.warn({ claims: returned.length }, 'claims without an answer: their tasks went back to the queue');
  };

  return {
    ring,
    record(ended) {
      waiting.push(ended);
      wake();
    },
    renewals: () =>
      [...waiting, ...[...batches].flatMap(({ endings }) => endings)].map(({ claim: { id, attempt } }) => ({
        ...{ id, attempt, leaseMs: LEASE_MS },
      })),
    async run(goesOn) {
      while (goesOn()) {
        send();
        await bell.wait();
        await gather(goesOn);
      }
    },
    returnLostClaims,
    async settle(ms) {
      let late = false;
      const clock = setTimeout(() => {
        late = true;
        ring();
      }, ms);
      while (!late && waiting.length + batches.size > 0) {
        send();
        await bell.wait();
      }
      clearTimeout(clock);
      clearTimeout(pause);
      for (const { claim, limit } of batches) if (limit > 0) lostClaims.set(claim, performance.now());
      await returnLostClaims().catch((err) => log.warn({ err }, 'lost claims wait for their leases to run out'));
    },
  };
}

/** What is under way to the store: endings, and how many claims are asked for. */
interface Batch {
  readonly claim: number;
  readonly endings: readonly Ended[];
  readonly limit: number;
  readonly busy: boolean;
}

/** The ending of an attempt that another worker is to make anew, at once and without being counted. */
export const handedBack = ({ id, attempt }: Claim): Ending => ({
  ...{ id, attempt, outcome: 'again', delayMs: 0, uncounted: true },
});
const isHandedBack = (ending: Ending) =>
  ending.outcome === 'again' && ending.uncounted === true && ending.delayMs === 0;
