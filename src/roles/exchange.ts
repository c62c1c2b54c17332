import type { Log } from '../base/log.ts';
import { createBell } from '../base/loop.ts';
import type { Span } from '../base/trace.ts';
import type { Claim, Ending, Renewal, TaskStore } from '../tasks/store.ts';
import { LEASE_MS } from './attempt.ts';

/** What ends within this time of a busy worker is written down together. */
const GATHER_MS = 30;
/** While one batch is committed, the next one is prepared. */
const BATCHES = 2;
/** Between two tries while the store does not answer, unless somebody rings before; the look at the table rings every second. */
const LONGEST_PAUSE_MS = 1000;

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
  /** Tells what has ended, until all is recorded or `ms` are over. */
  settle(ms: number): Promise<void>;
}

export function openExchange(needs: {
  tasks: Pick<TaskStore, 'advance' | 'hint'>;
  service: string;
  worker: string;
  /** How many attempts this worker makes at once. */
  concurrency: number;
  /** How many it is making. */
  running: () => number;
  /** How many more may begin; what batches under way have asked for is subtracted here. */
  room: () => number;
  onClaimed: (claim: Claim) => void;
  /** The store has answered; `recorded` is false where the fence has refused the ending. */
  onTold: (ended: Ended, recorded: boolean) => void;
  log: Log;
}): Exchange {
  const { tasks, service, worker, concurrency, log } = needs;
  const bell = createBell();
  const batches = new Set<Batch>();
  const waiting: Ended[] = [];
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
      const free = Math.max(0, needs.room() - asked);
      // Half of it: with a long queue, the other half is worked on or asked for while this one is being written down.
      const limit = called || waiting.length > 0 ? Math.min(free, Math.ceil(concurrency / 2)) : 0;
      if (limit === 0 && waiting.length === 0) return;
      if (limit > 0 && (limit === free || waiting.length === 0)) called = false;
      void exchange({ limit, endings: waiting.splice(0) });
    }
  };

  const exchange = async (batch: Batch) => {
    batches.add(batch);
    const answer = await tasks
      .advance(
        batch.endings.map(({ ending }) => ending),
        { service, worker, limit: batch.limit, leaseMs: LEASE_MS },
      )
      .catch((error: unknown) => ({ error }));
    batches.delete(batch);
    if ('error' in answer) return leaveInPeace(batch, answer.error);
    failures = 0;
    answer.claimed.forEach(needs.onClaimed);
    tell(batch.endings, new Set(answer.ended));
    // It got all it asked for, so there may be more.
    if (batch.limit > 0 && answer.claimed.length === batch.limit) called = true;
    wake(); // also where another batch has failed meanwhile: the store is there
  };

  /** Nothing is lost: the endings are sent again, and the fence refuses those that then come too late. */
  const leaveInPeace = ({ endings }: Batch, error: unknown) => {
    waiting.unshift(...endings);
    failures++;
    log.warn({ err: error }, 'the store does not answer; work goes on when it does');
    clearTimeout(pause);
    pause = setTimeout(ring, Math.min(100 * 2 ** failures, LONGEST_PAUSE_MS)).unref();
  };

  const tell = (endings: readonly Ended[], recorded: ReadonlySet<string>) => {
    for (const ended of endings) needs.onTold(ended, recorded.has(ended.ending.id));
    if (recorded.size > 0) tasks.hint('finished');
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
    },
  };
}

/** What is under way to the store: endings, and how many claims are asked for. */
interface Batch {
  readonly endings: readonly Ended[];
  readonly limit: number;
}

/** The ending of an attempt that another worker is to make anew, at once and without being counted. */
export const handedBack = ({ id, attempt }: Claim): Ending => ({
  ...{ id, attempt, outcome: 'again', delayMs: 0, uncounted: true },
});
const isHandedBack = (ending: Ending) =>
  ending.outcome === 'again' && ending.uncounted === true && ending.delayMs === 0;
