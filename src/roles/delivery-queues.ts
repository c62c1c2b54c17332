import type { DueClaimRequest, DueQueue } from '../tasks/store.ts';
import { type ReceiverSpeed, SLOW_MS, type Speed } from './receiver-speed.ts';

/** Concurrent attempts. */
const MAX_ATTEMPTS = 100;
const MAX_PER_ORIGIN = 4;
/** Until the receiver's speed is known. */
const MAX_PER_UNKNOWN_ORIGIN = 1;
/** The other attempts are reserved for quick receivers. */
const MAX_NOT_QUICK = 75;
const MAX_NOT_QUICK_PER_CLIENT = 50;
/** Leaves room for receivers of unknown speed. */
const MAX_SLOW = 40;
/** Queues in memory per client; a later search finds the others. */
const MAX_QUEUES_PER_CLIENT = 100;

/** A running attempt. */
export interface DeliveryAttempt {
  readonly principal: string;
  readonly origin: string;
  /** By `performance.now()`. */
  readonly startedAt: number;
}

/**
 * Fair scheduling of due deliveries: the client with the fewest running attempts comes first, then the client that was served
 * least recently; likewise the receivers of one client.
 */
export function createDeliveryQueues(speeds: Pick<ReceiverSpeed, 'of'>, now: () => number = () => performance.now()) {
  // Maps iterate in insertion order: a served entry moves to the end.
  const clients = new Map<string, Map<string, DueQueue>>();

  const add = (queue: DueQueue) => {
    const queues = clients.get(queue.principal) ?? new Map<string, DueQueue>();
    const known = queues.get(queue.origin);
    if (!known && queues.size >= MAX_QUEUES_PER_CLIENT) return;
    if (!known || queue.since < known.since) queues.set(queue.origin, queue);
    clients.set(queue.principal, queues);
  };

  const remove = ({ principal, origin }: DueQueue) => {
    const queues = clients.get(principal);
    queues?.delete(origin);
    if (queues?.size === 0) clients.delete(principal);
  };

  /** The next queue that may start another attempt. */
  const next = (load: Load): DueQueue | undefined => {
    let first: { queue: DueQueue; running: number } | undefined;
    for (const [principal, queues] of clients) {
      const running = load.ofClient(principal);
      if (first && running >= first.running) continue;
      for (const queue of queues.values()) {
        if (!load.hasRoom(queue)) continue;
        first = { queue, running };
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
    /** Chooses and removes the queues to serve next; `add` those again that may have more deliveries. */
    choose(running: Iterable<DeliveryAttempt>): DueClaimRequest[] {
      const load = createLoad(running, speeds, now());
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

type Load = ReturnType<typeof createLoad>;

/** Counts running attempts for the limits. */
function createLoad(running: Iterable<DeliveryAttempt>, speeds: Pick<ReceiverSpeed, 'of'>, now: number) {
  const attempts = [...running];
  const late = new Set(attempts.filter(({ startedAt }) => now - startedAt > SLOW_MS).map(({ origin }) => origin));
  const speedOf = (origin: string): Speed => (late.has(origin) ? 'slow' : speeds.of(origin));
  const perClient = createCounter();
  const perOrigin = createCounter();
  const notQuickPerClient = createCounter();
  let total = 0;
  let notQuick = 0;
  let slow = 0;
  const load = {
    ofClient: perClient.of,
    hasRoom({ principal, origin }: DueQueue): boolean {
      const speed = speedOf(origin);
      if (total >= MAX_ATTEMPTS) return false;
      if (perOrigin.of(origin) >= (speed === 'unknown' ? MAX_PER_UNKNOWN_ORIGIN : MAX_PER_ORIGIN)) return false;
      if (speed === 'quick') return true;
      if (speed === 'slow' && slow >= MAX_SLOW) return false;
      return notQuick < MAX_NOT_QUICK && notQuickPerClient.of(principal) < MAX_NOT_QUICK_PER_CLIENT;
    },
    begin({ principal, origin }: Pick<DueQueue, 'principal' | 'origin'>): void {
      const speed = speedOf(origin);
      total++;
      perClient.add(principal);
      perOrigin.add(origin);
      if (speed === 'slow') slow++;
      if (speed === 'quick') return;
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
