import type { MetricJson } from '../../../http/metrics.ts';

interface ProcessCounters {
  readonly id: string;
  readonly metrics: readonly MetricJson[];
}

/** A process without heartbeats for this long is removed. */
const PROCESS_EXPIRY_MS = 600_000;

/** Sums counters over processes that start and exit; the counts of a process that exits stay in the total. */
export function createCounterTotals() {
  const totals = new Map<string, number>();
  const processesById = new Map<string, { values: ReadonlyMap<string, number>; seenAt: number }>();
  let isStarted = false;
  return {
    /** `now` is in milliseconds. */
    update(processes: readonly ProcessCounters[], now: number): void {
      for (const { id, metrics } of processes) {
        const values = valuesOf(metrics);
        const before = processesById.get(id)?.values;
        processesById.set(id, { values, seenAt: now });
        // The times of counts before the first update are unknown.
        if (before === undefined && !isStarted) continue;
        for (const [key, value] of values) {
          const previous = before?.get(key) ?? 0;
          totals.set(key, (totals.get(key) ?? 0) + (value >= previous ? value - previous : value));
        }
      }
      isStarted = true;
      for (const [id, { seenAt }] of processesById) if (now - seenAt > PROCESS_EXPIRY_MS) processesById.delete(id);
    },
    /** The sum over all processes since the first update. */
    get: (key: string) => totals.get(key) ?? 0,
  };
}

export const tasksKey = (service: string, status: 'done' | 'failed') => `tasks ${service} ${status}`;
export const estimatesKey = (service: string, outcome: 'met' | 'exceeded') => `estimates ${service} ${outcome}`;
export const webhooksKey = (outcome: 'delivered' | 'failed') => `webhooks ${outcome}`;

function valuesOf(metrics: readonly MetricJson[]): Map<string, number> {
  const values = new Map<string, number>();
  const add = (key: string, value: number) => values.set(key, (values.get(key) ?? 0) + value);
  for (const { name, values: all } of metrics) {
    for (const { labels, value } of all) {
      const { service, status, outcome } = labels as Readonly<Record<string, string>>;
      if (name === 'assay_tasks_total') add(`tasks ${service} ${status}`, value);
      if (name === 'assay_estimates_total') add(`estimates ${service} ${outcome}`, value);
      if (name === 'assay_webhook_attempts_total') add(`webhooks ${outcome}`, value);
    }
  }
  return values;
}
