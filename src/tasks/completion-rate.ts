import type { Heartbeat } from './workers.ts';

export type CompletionRate = ReturnType<typeof createCompletionRate>;

/** Length of the measured window: this many seconds or completions, whichever is longer. */
const WINDOW_SECONDS = 30;
const WINDOW_COMPLETIONS = 50;
/** At least two heartbeats (2 s each) and more than one task. */
const MIN_SECONDS = 4;
const MIN_COMPLETIONS = 3;

/** Throughput of one service's workers while there is enough work for all of them. */
export function createCompletionRate(service: string) {
  const counted = new Map<string, number>();
  let before: { nowMs: number; workers: number } | undefined;
  let [completions, seconds, workerSeconds] = [0, 0, 0];

  return {
    /** Measures the time between two calls with waiting tasks; at other times the rate would be the arrival rate. */
    observe(beats: readonly Heartbeat[], tasksWait: boolean, nowMs: number): void {
      const workers = beats.filter((beat) => beat.service === service && beat.state === 'warm');
      let completed = 0;
      for (const { id, metrics = [] } of workers) {
        const total = countCompletions(metrics, service);
        completed += Math.max(0, total - (counted.get(id) ?? total));
        counted.set(id, total);
      }
      const living = new Set(beats.map(({ id }) => id));
      for (const id of counted.keys()) if (!living.has(id)) counted.delete(id);

      if (before && tasksWait) {
        const elapsedSeconds = (nowMs - before.nowMs) / 1000;
        completions += completed;
        seconds += elapsedSeconds;
        workerSeconds += elapsedSeconds * before.workers;
        const scale = Math.max(WINDOW_COMPLETIONS / completions, WINDOW_SECONDS / seconds);
        if (scale < 1)
          [completions, seconds, workerSeconds] = [completions * scale, seconds * scale, workerSeconds * scale];
      }
      before = tasksWait && workers.length > 0 ? { nowMs, workers: workers.length } : undefined;
    },
    /** Tasks per second for this many workers; undefined until measured. */
    perSecond(workers: number): number | undefined {
      if (workers === 0 || seconds < MIN_SECONDS || completions < MIN_COMPLETIONS) return undefined;
      return (completions / workerSeconds) * workers;
    },
  };
}

/** `assay_tasks_total` in the metrics of one worker. */
function countCompletions(metrics: readonly unknown[], service: string): number {
  let total = 0;
  for (const { name, values } of metrics as readonly MetricLike[]) {
    if (name !== 'assay_tasks_total') continue;
    for (const { labels, value } of values) if (labels['service'] === service) total += value;
  }
  return total;
}

interface MetricLike {
  readonly name: string;
  readonly values: readonly { readonly labels: Readonly<Record<string, unknown>>; readonly value: number }[];
}
