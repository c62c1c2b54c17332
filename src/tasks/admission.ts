import { Counter, type Registry } from 'prom-client';
import { type Fault, queueFull } from '../base/faults.ts';
import type { Roster } from './roster.ts';
import type { Priority } from './task.ts';

/** Decides whether a service takes another task, by how many wait for a worker already. */
export interface Admission {
  /**
   * Counts in tasks that are about to be written, all of one request where there is room for one; undefined where there is
   * none. The answer is to be called once it is known whether they were written.
   */
  enter(service: string, priority: Priority, count?: number): ((written: boolean) => void) | undefined;
  /** The error for a request that found no room. Its `Retry-After` is when there is expected to be some. */
  refusal(service: string): Fault;
}

/** `Retry-After` while it is not known how quickly the service works. */
const UNKNOWN_SECONDS = 30;
const LONGEST_SECONDS = 3600;

/**
 * Admission by the roster, so that no request asks the database. A gateway by itself never exceeds a limit (but by the
 * further tasks of one request); several together may, by what the others accept between two counts.
 */
export function createAdmission({
  roster,
  limits,
  registry,
}: {
  roster: Roster;
  /** The most tasks that may wait, by service; 0 or absent: any number. */
  limits: ReadonlyMap<string, number>;
  registry: Registry;
}): Admission {
  const refused = new Counter({
    name: 'assay_queue_full_total',
    help: 'Requests refused because too many tasks wait.',
    labelNames: ['service'],
    registers: [registry],
  });
  const limited = [...limits].filter(([, limit]) => limit > 0);
  for (const [service] of limited) refused.inc({ service }, 0);

  const waiting = (service: string) => {
    const { realtime, batch } = roster.waiting(service);
    return realtime + batch;
  };
  /** Those refused since the last count will come back first. */
  const inLine = new Map<string, { countedAt: number; requests: number }>();

  return {
    enter(service, priority, count = 1) {
      const limit = limits.get(service) ?? 0;
      if (limit > 0 && waiting(service) >= limit) return undefined;
      return roster.adding(service, priority, count);
    },
    refusal(service) {
      refused.inc({ service });
      const countedAt = roster.countedAt(service);
      const before = inLine.get(service);
      const requests = before?.countedAt === countedAt ? before.requests + 1 : 1;
      inLine.set(service, { countedAt, requests });
      const rate = roster.completionsPerSecond(service);
      if (rate === undefined) return queueFull(UNKNOWN_SECONDS);
      const excess = Math.max(0, waiting(service) - (limits.get(service) ?? 0)) + requests;
      return queueFull(Math.min(LONGEST_SECONDS, Math.max(1, Math.ceil(excess / rate))));
    },
  };
}
