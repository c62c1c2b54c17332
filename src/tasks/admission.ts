import { Counter, type Registry } from 'prom-client';
import { clientQueueFull, queueFull } from '../base/api-error.ts';
import type { ClientQueues } from './client-queues.ts';
import type { Priority } from './task.ts';
import type { WorkerRegistry } from './worker-registry.ts';

export type Admission = ReturnType<typeof createAdmission>;

/** `Retry-After` while the completion rate is unknown: before it was measured, and while no worker has a loaded model. */
const DEFAULT_RETRY_SECONDS = { warm: 5, cold: 30 };
const MAX_RETRY_SECONDS = 3600;

/**
 * Accepts or rejects new tasks by the number of tasks of all clients, and of one client, that wait for a worker. Uses counts in
 * memory, so that requests do not query the database unless the queue seems full. One gateway exceeds a limit only by further tasks of one request;
 * several gateways may also exceed it by what the others accept between two counts.
 */
export function createAdmission(deps: {
  workerRegistry: WorkerRegistry;
  /** Maximum number of waiting tasks by service; 0 or absent: unlimited. */
  limits: ReadonlyMap<string, number>;
  /** The client of a principal. */
  ownerOf: (service: string, principal: string) => string;
  /** Absent: the tasks of one client are not limited. */
  clients?: { readonly limit: number; readonly queues: ClientQueues };
  registry: Registry;
}) {
  const { workerRegistry, limits, ownerOf, clients, registry } = deps;
  const rejections = new Counter({
    name: 'assay_queue_full_total',
    help: 'Requests rejected because the queue is full.',
    labelNames: ['service'],
    registers: [registry],
  });
  const limited = [...limits].filter(([, limit]) => limit > 0);
  for (const [service] of limited) rejections.inc({ service }, 0);
  const clientRejections = new Counter({
    name: 'assay_client_queue_full_total',
    help: 'Requests rejected because too many tasks of the client wait.',
    labelNames: ['service'],
    registers: [registry],
  });
  if (clients) for (const service of limits.keys()) clientRejections.inc({ service }, 0);

  const waiting = (service: string) => {
    const { realtime, batch } = workerRegistry.waitingTasks(service);
    return realtime + batch;
  };
  const isFull = (service: string, needed: number) => {
    const limit = limits.get(service) ?? 0;
    return limit > 0 && waiting(service) + needed > limit;
  };
  const clientExcess = (service: string, owner: string) =>
    clients ? clients.queues.waiting(service, owner) - clients.limit : Number.NEGATIVE_INFINITY;
  /** Requests rejected in this second, which are expected to be retried first. */
  const rejected = new Map<string, { since: number; requests: number }>();

  const retrySeconds = (service: string, excess: number): number => {
    const rate = workerRegistry.completionsPerSecond(service);
    if (rate === undefined)
      return DEFAULT_RETRY_SECONDS[workerRegistry.workerState(service) === 'warm' ? 'warm' : 'cold'];
    return Math.min(MAX_RETRY_SECONDS, Math.max(1, Math.ceil(excess / rate)));
  };

  return {
    ownerOf,
    /**
     * Counts again if there seems to be no room for `needed` tasks, because tasks accepted since the last count may have
     * been started. Call it before `reserve`, outside a transaction. Requests share the counts, see `MIN_COUNT_INTERVAL_MS`.
     */
    async recountIfFull(service: string, owner: string, needed = 1): Promise<void> {
      // After a failed count, `reserve` decides by the counts before it. The loops of the counts log their failures.
      await Promise.allSettled([
        isFull(service, needed) && workerRegistry.recount(service),
        clientExcess(service, owner) + needed > 0 && clients?.queues.recount(service),
      ]);
    },
    /**
     * Reserves room for the tasks of one request; undefined when the queue has no room for `needed` tasks. Call the returned
     * function once it is known whether they were written.
     */
    reserve(service: string, priority: Priority, owner: string, count = 1, needed = 1) {
      if (isFull(service, needed)) return undefined;
      if (clientExcess(service, owner) + needed > 0) return undefined;
      const releaseClient = clients?.queues.reserve(service, owner, count);
      const release = workerRegistry.reserve(service, priority, count);
      return (isWritten: boolean) => {
        releaseClient?.(isWritten);
        release(isWritten);
      };
    },
    /** The most tasks that may wait at the same time. */
    maxWaiting: (service: string) =>
      Math.min(limits.get(service) || Number.POSITIVE_INFINITY, clients?.limit ?? Number.POSITIVE_INFINITY),
    /** The error for a full queue; its `Retry-After` estimates when there will be room. */
    queueFullError(service: string, owner: string, needed = 1) {
      const ofClient = clientExcess(service, owner) + needed;
      if (ofClient > 0) {
        clientRejections.inc({ service });
        return clientQueueFull(retrySeconds(service, ofClient));
      }
      rejections.inc({ service });
      const now = performance.now();
      const before = rejected.get(service);
      const { since, requests } =
        before && now - before.since < 1000
          ? { ...before, requests: before.requests + 1 }
          : { since: now, requests: 1 };
      rejected.set(service, { since, requests });
      const excess = Math.max(0, waiting(service) + needed - 1 - (limits.get(service) ?? 0)) + requests;
      return queueFull(retrySeconds(service, excess));
    },
  };
}
