import type { MetricJson } from '../http/metrics.ts';

/** What one process has counted since it began. */
export interface Counted {
  readonly id: string;
  readonly metrics: readonly MetricJson[];
}

/** What all processes have counted since this one began to look, by `key` below. */
export interface Counts {
  /** Takes what they say now, with the time in milliseconds. */
  look(processes: readonly Counted[], now: number): void;
  of(key: string): number;
}

/** A process that is not heard of for this long does not come back. */
const FORGOTTEN_MS = 600_000;

/**
 * Sums counters over processes that come and go: each is followed by itself, so that a worker that ends takes nothing
 * back, and one that begins adds what it has done.
 */
export function openCounts(): Counts {
  const totals = new Map<string, number>();
  const known = new Map<string, { values: ReadonlyMap<string, number>; seenAt: number }>();
  let began = false;
  return {
    look(processes, now) {
      for (const { id, metrics } of processes) {
        const values = valuesOf(metrics);
        const before = known.get(id)?.values;
        known.set(id, { values, seenAt: now });
        // What was counted before we looked at all happened at no known time.
        if (before === undefined && !began) continue;
        for (const [key, value] of values) {
          const had = before?.get(key) ?? 0;
          totals.set(key, (totals.get(key) ?? 0) + (value >= had ? value - had : value));
        }
      }
      began = true;
      for (const [id, { seenAt }] of known) if (now - seenAt > FORGOTTEN_MS) known.delete(id);
    },
    of: (key) => totals.get(key) ?? 0,
  };
}

/** The key of tasks of `service` that ended so. */
export const tasksKey = (service: string, status: 'done' | 'failed') => `tasks ${service} ${status}`;
/** The key of webhooks that were sent with this outcome. */
export const webhooksKey = (outcome: 'delivered' | 'failed') => `webhooks ${outcome}`;

function valuesOf(metrics: readonly MetricJson[]): Map<string, number> {
  const values = new Map<string, number>();
  const add = (key: string, value: number) => values.set(key, (values.get(key) ?? 0) + value);
  for (const { name, values: all } of metrics) {
    for (const { labels, value } of all) {
      const { service, status, outcome } = labels as Readonly<Record<string, string>>;
      if (name === 'assay_tasks_total') add(`tasks ${service} ${status}`, value);
      if (name === 'assay_webhook_attempts_total') add(`webhooks ${outcome}`, value);
    }
  }
  return values;
}
