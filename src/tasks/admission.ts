import { Counter, type Registry } from 'prom-client';
import { queueFull } from '../base/api-error.ts';
import type { Priority } from './task.ts';
import type { WorkerRegistry } from './worker-registry.ts';

export type Admission = ReturnType<typeof createAdmission>;

/** `Retry-After` while the completion rate is unknown. */
const DEFAULT_RETRY_SECONDS = 30;
const MAX_RETRY_SECONDS = 3600;

/**
 * Accepts or rejects new tasks by the number of tasks that wait for a worker. Uses the worker registry, so that requests do not query the database. One gateway exceeds a limit only by further tasks
 * of one request; several gateways may also exceed it by what the others accept between two counts.
 */
export function createAdmission(deps: {
  workerRegistry: WorkerRegistry;
  /** Maximum number of waiting tasks by service; 0 or absent: unlimited. */
  limits: ReadonlyMap<string, number>;
  registry: Registry;
}) {
  const { workerRegistry, limits, registry } = deps;
  const rejections = new Counter({
    name: 'assay_queue_full_total',
    help: 'Requests rejected because the queue is full.',
    labelNames: ['service'],
    registers: [registry],
  });
  const limited = [...limits].filter(([, limit]) => limit > 0);
  for (const [service] of limited) rejections.inc({ service }, 0);

  const waiting = (service: string) => {
    const { realtime, batch } = workerRegistry.waitingTasks(service);
    return realtime + batch;
  };
  /** Requests rejected since the last count, which are expected to be retried first. */
  const rejected = new Map<string, { countedAt: number; requests: number }>();

  return {
    /**
     * Reserves room for the tasks of one request; undefined when the queue is full. Call the returned function once it is
     * known whether they were written.
     */
    reserve(service: string, priority: Priority, count = 1) {
      const limit = limits.get(service) ?? 0;
      if (limit > 0 && waiting(service) >= limit) return undefined;
      return workerRegistry.reserve(service, priority, count);
    },
    /** The error for a full queue; its `Retry-After` estimates when there will be room. */
    queueFullError(service: string) {
      rejections.inc({ service });
      const countedAt = workerRegistry.lastCountedAt(service);
      const before = rejected.get(service);
      const requests = before?.countedAt === countedAt ? before.requests + 1 : 1;
      rejected.set(service, { countedAt, requests });
      const rate = workerRegistry.completionsPerSecond(service);
      if (rate === undefined) return queueFull(DEFAULT_RETRY_SECONDS);
      const excess = Math.max(0, waiting(service) - (limits.get(service) ?? 0)) + requests;
      return queueFull(Math.min(MAX_RETRY_SECONDS, Math.max(1, Math.ceil(excess / rate))));
    },
  };
}
