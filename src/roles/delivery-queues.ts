import type { DueQueue, DueWant } from '../tasks/store.ts';
import { type ReceiverSpeed, SLOW_MS, type Speed } from './receiver-speed.ts';

/** Attempts under way at once. */
const AT_ONCE = 100;
const PER_ORIGIN = 4;
/** One attempt shows how fast a receiver is, before more follow. */
const PER_UNKNOWN_ORIGIN = 1;
/** Of all attempts: the rest is reserved for receivers that are known to be quick. */
const NOT_QUICK = 75;
const NOT_QUICK_PER_CLIENT = 50;
/** Receivers that are known to be slow share this many, so that there is room for those that nobody knows yet. */
const SLOW = 40;
/** Queues that are remembered per client; the search finds the others when there is room. */
const QUEUES_PER_CLIENT = 100;

/** An attempt under way. */
export interface Attempt {
  readonly principal: string;
  readonly origin: string;
  /** By `performance.now()`. */
  readonly startedAt: number;
}

/**
 * The queues that have deliveries due, and whose turn it is: the client with the fewest attempts under way comes first,
 * then the one that has waited longest for its turn; and so the receivers of one client.
 */
export function createDeliveryQueues(speed: Pick<ReceiverSpeed, 'of'>, now: () => number = () => performance.now()) {
  // Maps are walked in the order in which they were filled: a turn moves to the end.
  const clients = new Map<string, Map<string, DueQueue>>();

  const add = (queue: DueQueue) => {
    const queues = clients.get(queue.principal) ?? new Map<string, DueQueue>();
    const known = queues.get(queue.origin);
    if (!known && queues.size >= QUEUES_PER_CLIENT) return;
    if (!known || queue.since < known.since) queues.set(queue.origin, queue);
    clients.set(queue.principal, queues);
  };

  const remove = ({ principal, origin }: DueQueue) => {
    const queues = clients.get(principal);
    queues?.delete(origin);
    if (queues?.size === 0) clients.delete(principal);
  };

  /** The next queue in turn that may begin another attempt. */
  const next = (load: Load): DueQueue | undefined => {
    let first: { queue: DueQueue; underWay: number } | undefined;
    for (const [principal, queues] of clients) {
      const underWay = load.ofClient(principal);
      if (first && underWay >= first.underWay) continue;
      for (const queue of queues.values()) {
        if (!load.hasRoom(queue)) continue;
        first = { queue, underWay };
        break;
      }
    }
    return first?.queue;
  };

  const moveToEnd = ({ principal, origin }: DueQueue) => {
    const queues = clients.get(principal)!;
    const queue = queues.get(origin)!;
    queues.delete(origin);
    queues.set(origin, queue);
    clients.delete(principal);
    clients.set(principal, queues);
  };

  return {
    add,
    size: () => [...clients.values()].reduce((sum, { size }) => sum + size, 0),
    /** Chooses what is begun next to `underWay`. The queues chosen are forgotten here: `add` those that may have more. */
    choose(underWay: Iterable<Attempt>): DueWant[] {
      const load = createLoad(underWay, speed, now());
      const chosen = new Map<DueQueue, number>();
      for (let queue = next(load); queue; queue = next(load)) {
        load.begin(queue);
        chosen.set(queue, (chosen.get(queue) ?? 0) + 1);
        moveToEnd(queue);
      }
      return [...chosen].map(([queue, limit]) => {
        remove(queue);
        return { ...queue, limit };
      });
    },
  };
}

interface Load {
  ofClient(principal: string): number;
  hasRoom(queue: DueQueue): boolean;
  begin(queue: Pick<DueQueue, 'principal' | 'origin'>): void;
}

/** What is under way, counted in the ways that the limits need. */
function createLoad(underWay: Iterable<Attempt>, speed: Pick<ReceiverSpeed, 'of'>, now: number): Load {
  const attempts = [...underWay];
  const late = new Set(attempts.filter(({ startedAt }) => now - startedAt > SLOW_MS).map(({ origin }) => origin));
  const speedOf = (origin: string): Speed => (late.has(origin) ? 'slow' : speed.of(origin));
  const perClient = createCounter();
  const perOrigin = createCounter();
  const notQuickPerClient = createCounter();
  let all = 0;
  let notQuick = 0;
  let slow = 0;
  const load: Load = {
    ofClient: perClient.of,
    hasRoom({ principal, origin }) {
      const its = speedOf(origin);
      if (all >= AT_ONCE) return false;
      if (perOrigin.of(origin) >= (its === 'unknown' ? PER_UNKNOWN_ORIGIN : PER_ORIGIN)) return false;
      if (its === 'quick') return true;
      if (its === 'slow' && slow >= SLOW) return false;
      return notQuick < NOT_QUICK && notQuickPerClient.of(principal) < NOT_QUICK_PER_CLIENT;
    },
    begin({ principal, origin }) {
      const its = speedOf(origin);
      all++;
      perClient.add(principal);
      perOrigin.add(origin);
      if (its === 'slow') slow++;
      if (its === 'quick') return;
      notQuick++;
      notQuickPerClient.add(principal);
    },
  };
  for (const attempt of attempts) load.begin(attempt);
  return load;
}

function createCounter() {
  const counts = new Map<string, number>();
  return {
    of: (key: string) => counts.get(key) ?? 0,
    add: (key: string) => void counts.set(key, (counts.get(key) ?? 0) + 1),
  };
}
