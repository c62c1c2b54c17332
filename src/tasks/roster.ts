import type { Log } from '../base/log.ts';
import { loop } from '../base/loop.ts';
import { createTimeShare } from '../base/time-share.ts';
import { type CompletionRate, createCompletionRate } from './completion-rate.ts';
import { DEPTH_COUNTED, type Depth, type TaskStore } from './store.ts';
import type { Priority } from './task.ts';
import type { Beat, WorkerState, Workers } from './workers.ts';

/** What a gateway knows of the workers and the queue, about a second old: asked by every request, fetched by one loop. */
export interface Roster {
  /** Whether the store answered when last asked. */
  reachable(): boolean;
  state(service: string): WorkerState;
  /** Workers of a service whose model is loaded, the longest living first. */
  warm(service: string): readonly Beat[];
  /** Every living process. */
  all(): readonly Beat[];
  /** Model versions that a request may name. */
  versions(service: string): readonly string[];
  depth(service: string): Depth;
  /** Tasks that wait: those counted last, and those that this process has accepted since. */
  waiting(service: string): Readonly<Record<Priority, number>>;
  /** Counts in tasks that this process is about to write. The answer is to be called once it is known whether it has. */
  adding(service: string, priority: Priority, count: number): (written: boolean) => void;
  /** When the queue was counted last, by the monotonic clock in milliseconds. */
  countedAt(service: string): number;
  /**
   * Tasks that the workers complete per second while there is enough work for all of them; while no worker is warm, what
   * one of them would complete. Undefined until it was measured.
   */
  completionsPerSecond(service: string): number | undefined;
  /** Webhooks that wait for their next attempt. */
  pendingDeliveries(): number;
}

const NOTHING: Depth = {
  waiting: { realtime: 0, batch: 0 },
  processing: 0,
  oldestWaitingSeconds: { realtime: 0, batch: 0 },
};

/**
 * Counting more than `DEPTH_COUNTED`, or pending webhooks among dead index entries, takes at most this share of the time:
 * 100 000 tasks are counted in 25 to 150 ms.
 */
const COUNTING_SHARE = 0.05;

/** What is known of one queue. */
interface Queue {
  depth: Depth;
  /** Tasks of this process that the last count may not contain, and how many of them were written since. */
  readonly added: Record<Priority, number>;
  readonly written: Record<Priority, number>;
  countedAt: number;
  nextCountAt: number;
  readonly rate: CompletionRate;
}

export async function keepRoster(needs: {
  workers: Workers;
  tasks: TaskStore;
  services: readonly string[];
  /** The most tasks that may wait, by service; further than that, or than `DEPTH_COUNTED`, no queue is counted. */
  limits?: ReadonlyMap<string, number>;
  signal: AbortSignal;
  log: Log;
  refreshMs?: number;
}): Promise<Roster> {
  const { workers, tasks, services, limits, signal, log } = needs;
  const queues = new Map(services.map((service) => [service, newQueue(service)]));
  const versions = new Map<string, readonly string[]>();
  let pendingDeliveries = 0;
  const countingDeliveries = createTimeShare(COUNTING_SHARE, { leastMs: 0, mostMs: 60_000 });
  let beats: readonly Beat[] | undefined;

  const count = async (service: string) => {
    const queue = queues.get(service)!;
    const begunAt = performance.now();
    if (begunAt < queue.nextCountAt) return;
    // What is under way now may be in this count or not: it stays counted in until the next one.
    const written = { ...queue.written };
    queue.depth = await tasks.depth(service, Math.max(DEPTH_COUNTED, limits?.get(service) ?? 0));
    for (const priority of ['realtime', 'batch'] as const) {
      queue.added[priority] -= written[priority];
      queue.written[priority] -= written[priority];
    }
    queue.countedAt = performance.now();
    const waiting = queue.depth.waiting.realtime + queue.depth.waiting.batch;
    if (waiting > DEPTH_COUNTED) queue.nextCountAt = begunAt + (queue.countedAt - begunAt) / COUNTING_SHARE;
    queue.rate.observe(beats ?? [], waiting > 0, queue.countedAt);
  };

  const refresh = async () => {
    try {
      beats = await workers.living();
      if (countingDeliveries.isDue()) {
        pendingDeliveries = await countingDeliveries.spend(() => tasks.pendingDeliveries());
      }
      for (const service of services) {
        versions.set(service, await workers.versions(service));
        await count(service);
      }
    } catch (error) {
      beats = undefined;
      throw error;
    }
  };
  // A round that is under way when the process stops loses its connection, and nobody needs to hear of that.
  const onError = (err: unknown) => void (signal.aborted || log.warn({ err }, 'the store of tasks does not answer'));
  await refresh().catch(onError);
  void loop(refresh, { restMs: needs.refreshMs ?? 1000, maxRestMs: 2000, signal, onError });

  const warm = (service: string) => beats?.filter((beat) => beat.service === service && beat.state === 'warm') ?? [];
  return {
    reachable: () => beats !== undefined,
    state: (service) => (beats === undefined ? 'unknown' : warm(service).length > 0 ? 'warm' : 'cold'),
    warm,
    all: () => beats ?? [],
    versions: (service) => versions.get(service) ?? [],
    depth: (service) => queues.get(service)?.depth ?? NOTHING,
    waiting(service) {
      const { depth, added } = queues.get(service) ?? newQueue(service);
      return { realtime: depth.waiting.realtime + added.realtime, batch: depth.waiting.batch + added.batch };
    },
    adding(service, priority, count) {
      const { added, written } = queues.get(service) ?? newQueue(service);
      added[priority] += count;
      return (isWritten) => {
        if (isWritten) written[priority] += count;
        else added[priority] -= count;
      };
    },
    countedAt: (service) => queues.get(service)?.countedAt ?? 0,
    completionsPerSecond: (service) => queues.get(service)?.rate.perSecond(Math.max(1, warm(service).length)),
    pendingDeliveries: () => pendingDeliveries,
  };
}

const newQueue = (service: string): Queue => ({
  depth: NOTHING,
  added: { realtime: 0, batch: 0 },
  written: { realtime: 0, batch: 0 },
  countedAt: 0,
  nextCountAt: 0,
  rate: createCompletionRate(service),
});
