import { createCoalescedRun } from '../base/coalesced-run.ts';
import type { Log } from '../base/log.ts';
import { loop } from '../base/loop.ts';
import { createTimeShare } from '../base/time-share.ts';
import { type CompletionRate, createCompletionRate } from './completion-rate.ts';
import { type Depth, MAX_COUNTED, type TaskStore } from './store.ts';
import type { Priority } from './task.ts';
import type { AdvertisedVersion, Heartbeat, WorkerState, WorkerStore } from './workers.ts';

export type WorkerRegistry = Awaited<ReturnType<typeof createWorkerRegistry>>;

const EMPTY: Depth = {
  waiting: { realtime: 0, batch: 0 },
  processing: 0,
  oldestWaitingSeconds: { realtime: 0, batch: 0 },
  virtualTime: { realtime: 0, batch: 0 },
  backlog: { realtime: {}, batch: {} },
};

/**
 * Maximum share of the time for counting more than `MAX_COUNTED` tasks (100 000 take 25 to 150 ms) or pending webhooks
 * among dead index entries.
 */
const COUNTING_SHARE = 0.05;

/** Minimum time between two counts of a queue, in milliseconds. Requests can start further ones while it seems full. */
export const MIN_COUNT_INTERVAL_MS = 100;

interface Queue {
  depth: Depth;
  /** Tasks of this process that the last count may not contain, and the part of them that was written since. */
  readonly added: Record<Priority, number>;
  readonly written: Record<Priority, number>;
  countedAt: number;
  nextCountAt: number;
  readonly rate: CompletionRate;
}

/** A gateway's view of the workers and the queue, refreshed once a second by one loop. */
export async function createWorkerRegistry(deps: {
  workers: WorkerStore;
  tasks: TaskStore;
  services: readonly string[];
  /** Queue limits by service; counts stop there or at `MAX_COUNTED`, whichever is higher. */
  limits?: ReadonlyMap<string, number>;
  signal: AbortSignal;
  log: Log;
  refreshMs?: number;
}) {
  const { workers, tasks, services, limits, signal, log, refreshMs = 1000 } = deps;
  const queues = new Map(services.map((service) => [service, createQueue(service)]));
  const versions = new Map<string, readonly AdvertisedVersion[]>();
  let pendingDeliveries = 0;
  const countingDeliveries = createTimeShare(COUNTING_SHARE, { leastMs: 0, mostMs: 60_000 });
  let beats: readonly Heartbeat[] | undefined;

  const count = async (service: string) => {
    const queue = queues.get(service)!;
    const startedAt = performance.now();
    if (startedAt < queue.nextCountAt) return;
    // Tasks being written now may be missing in this count: they stay added until the next one.
    const written = { ...queue.written };
    queue.depth = await tasks.queueDepth(service, Math.max(MAX_COUNTED, limits?.get(service) ?? 0));
    for (const priority of ['realtime', 'batch'] as const) {
      queue.added[priority] -= written[priority];
      queue.written[priority] -= written[priority];
    }
    queue.countedAt = performance.now();
    const waiting = queue.depth.waiting.realtime + queue.depth.waiting.batch;
    if (waiting > MAX_COUNTED) queue.nextCountAt = startedAt + (queue.countedAt - startedAt) / COUNTING_SHARE;
    queue.rate.observe(beats ?? [], waiting > 0, queue.countedAt);
  };

  const recounts = new Map(
    services.map((service) => [
      service,
      createCoalescedRun(() => count(service), Math.min(MIN_COUNT_INTERVAL_MS, refreshMs)),
    ]),
  );

  const refresh = async () => {
    try {
      beats = await workers.readLiving();
      if (countingDeliveries.isDue()) {
        pendingDeliveries = await countingDeliveries.spend(() => tasks.pendingDeliveries());
      }
      for (const service of services) {
        versions.set(service, await workers.readVersions(service));
        await recounts.get(service)!();
      }
    } catch (error) {
      beats = undefined;
      throw error;
    }
  };
  const onError = (err: unknown) => void (signal.aborted || log.warn({ err }, 'reading workers and queues failed'));
  await refresh().catch(onError);
  void loop(refresh, { intervalMs: refreshMs, maxIntervalMs: 2000, signal, onError });

  const warm = (service: string): readonly Heartbeat[] =>
    beats?.filter((beat) => beat.service === service && beat.state === 'warm') ?? [];
  return {
    /** Whether the last refresh succeeded. */
    isReachable: () => beats !== undefined,
    workerState: (service: string): WorkerState =>
      beats === undefined ? 'unknown' : warm(service).length > 0 ? 'warm' : 'cold',
    /** Workers with a loaded model, oldest first. */
    warmWorkers: warm,
    /** All processes with recent heartbeats. */
    allWorkers: () => beats ?? [],
    modelVersions: (service: string) => versions.get(service) ?? [],
    queueDepth: (service: string) => queues.get(service)?.depth ?? EMPTY,
    /** Waiting tasks: the last count plus the tasks that this process has accepted since. */
    waitingTasks(service: string): Readonly<Record<Priority, number>> {
      const { depth, added } = queues.get(service) ?? createQueue(service);
      return { realtime: depth.waiting.realtime + added.realtime, batch: depth.waiting.batch + added.batch };
    },
    /** Counts tasks that this process is about to write. Call the returned function once the outcome is known. */
    reserve(service: string, priority: Priority, count: number) {
      const { added, written } = queues.get(service) ?? createQueue(service);
      added[priority] += count;
      return (isWritten: boolean) => {
        if (isWritten) written[priority] += count;
        else added[priority] -= count;
      };
    },
    /** Counts the tasks again; concurrent calls share one count. A long queue is not counted again before its interval. */
    recount: async (service: string) => recounts.get(service)?.(),
    /** Time of the last count by `performance.now()`. */
    lastCountedAt: (service: string) => queues.get(service)?.countedAt ?? 0,
    /** Throughput of the warm workers, or of one worker while none is warm. Undefined until measured. */
    completionsPerSecond: (service: string) => queues.get(service)?.rate.perSecond(Math.max(1, warm(service).length)),
    /** Tasks that the warm workers process at the same time. */
    concurrency: (service: string) =>
      warm(service).reduce(
        (sum, { info }) => sum + (typeof info['concurrency'] === 'number' ? info['concurrency'] : 0),
        0,
      ),
    pendingDeliveries: () => pendingDeliveries,
  };
}

const createQueue = (service: string): Queue => ({
  depth: EMPTY,
  added: { realtime: 0, batch: 0 },
  written: { realtime: 0, batch: 0 },
  countedAt: 0,
  nextCountAt: 0,
  rate: createCompletionRate(service),
});
