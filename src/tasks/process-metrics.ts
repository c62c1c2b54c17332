import type { MetricObjectWithValues, MetricValue } from 'prom-client';

/** A metric of one process as prom-client writes it for another process to merge. */
type MetricJson = MetricObjectWithValues<MetricValue<string>>;

/** What a process has counted, or, without an id, what all those have that left. */
export interface ProcessReport {
  readonly id: string | null;
  /** Whether its heartbeats arrive. */
  readonly living: boolean;
  readonly metrics: readonly MetricJson[];
  /** What of it is counted among those that left already. */
  readonly folded: readonly MetricJson[];
}

/**
 * The metrics of all processes, for prom-client to sum. Counters of a process stay when it leaves, gauges go with it. `own`:
 * this process, which knows more than its last heartbeat said.
 */
export function sumOfProcesses(
  reports: readonly ProcessReport[],
  own: { readonly id: string; readonly metrics: readonly MetricJson[] },
): MetricJson[][] {
  const others = reports.map(({ id, living, metrics, folded }) => [
    ...(id === own.id ? [] : living ? metrics : countersOf(metrics)),
    ...countersOf(folded).map(negative),
  ]);
  return [JSON.parse(exactText(own.metrics)) as MetricJson[], ...others];
}

/**
 * Metrics as JSON, with values as multiples of 2^-20. Sums of such values are exact in any order up to 2^33: otherwise a
 * sum of seconds could fall by a rounding error when a process leaves, and Prometheus takes that for a restart.
 */
export const exactText = (metrics: readonly unknown[]): string =>
  JSON.stringify(metrics, (key, value: unknown) =>
    key === 'value' && typeof value === 'number' ? Math.floor(value * 2 ** 20) / 2 ** 20 : value,
  );

const countersOf = (metrics: readonly MetricJson[]) =>
  metrics.filter(({ type }) => COUNTERS.has(type as unknown as string));
const COUNTERS = new Set(['counter', 'histogram']);

const negative = (metric: MetricJson): MetricJson => ({
  ...metric,
  values: metric.values.map((each) => ({ ...each, value: -each.value })),
});
