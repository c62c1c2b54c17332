import type { MetricObjectWithValues, MetricValue } from 'prom-client';

type MetricJson = MetricObjectWithValues<MetricValue<string>>;

/** Metrics of one process, or, with a null id, the sum over all processes that have left. */
export interface ProcessReport {
  readonly id: string | null;
  /** Whether its heartbeats arrive. */
  readonly living: boolean;
  readonly metrics: readonly MetricJson[];
  /** The part that is already contained in that sum. */
  readonly folded: readonly MetricJson[];
}

/**
 * The metrics of all processes, to be summed by prom-client. Counters of processes that left are kept, their gauges are
 * not. `own`: the current metrics of this process, newer than its last heartbeat.
 */
export function mergeProcessMetrics(
  reports: readonly ProcessReport[],
  own: { readonly id: string; readonly metrics: readonly MetricJson[] },
): MetricJson[][] {
  const others = reports.map(({ id, living, metrics, folded }) => [
    ...(id === own.id ? [] : living ? metrics : countersOf(metrics)),
    ...countersOf(folded).map(negate),
  ]);
  return [JSON.parse(toExactJson(own.metrics)) as MetricJson[], ...others];
}

/**
 * Serializes metrics with values rounded to multiples of 2^-20, whose sums are exact up to 2^33. A rounding error could
 * lower a sum when a process leaves, and Prometheus would take that for a counter reset.
 */
export const toExactJson = (metrics: readonly unknown[]): string =>
  JSON.stringify(metrics, (key, value: unknown) =>
    key === 'value' && typeof value === 'number' ? Math.floor(value * 2 ** 20) / 2 ** 20 : value,
  );

const countersOf = (metrics: readonly MetricJson[]) =>
  metrics.filter(({ type }) => COUNTERS.has(type as unknown as string));
const COUNTERS = new Set(['counter', 'histogram']);

const negate = (metric: MetricJson): MetricJson => ({
  ...metric,
  values: metric.values.map((each) => ({ ...each, value: -each.value })),
});
