import type { Beat } from './workers.ts';

/** How many tasks of one service its workers complete per second while there is enough work for all of them. */
export interface CompletionRate {
  /**
   * Takes what the workers' last heartbeats have counted, and whether tasks wait for a worker now. Only the time between
   * two calls at which tasks wait is measured: at other times the rate is that of the arrivals.
   */
  observe(beats: readonly Beat[], tasksWait: boolean, nowMs: number): void;
  /** Of this many workers; undefined until it is known. */
  perSecond(workers: number): number | undefined;
}

/** The measurement remembers this many seconds or completions, whichever is longer. */
const REMEMBERED_SECONDS = 30;
const REMEMBERED_COMPLETIONS = 50;
/** Heartbeats come every 2 s: less than two of them, or a single task, tells nothing. */
const LEAST_SECONDS = 4;
const LEAST_COMPLETIONS = 3;

export function createCompletionRate(service: string): CompletionRate {
  const counted = new Map<string, number>();
  let before: { nowMs: number; workers: number } | undefined;
  let [completions, seconds, workerSeconds] = [0, 0, 0];

  return {
    observe(beats, tasksWait, nowMs) {
      const workers = beats.filter((beat) => beat.service === service && beat.state === 'warm');
      let completed = 0;
      for (const { id, metrics = [] } of workers) {
        const total = completionsIn(metrics, service);
        completed += Math.max(0, total - (counted.get(id) ?? total));
        counted.set(id, total);
      }
      const living = new Set(beats.map(({ id }) => id));
      for (const id of counted.keys()) if (!living.has(id)) counted.delete(id);

      if (before && tasksWait) {
        const passed = (nowMs - before.nowMs) / 1000;
        completions += completed;
        seconds += passed;
        workerSeconds += passed * before.workers;
        const kept = Math.max(REMEMBERED_COMPLETIONS / completions, REMEMBERED_SECONDS / seconds);
        if (kept < 1)
          [completions, seconds, workerSeconds] = [completions * kept, seconds * kept, workerSeconds * kept];
      }
      before = tasksWait && workers.length > 0 ? { nowMs, workers: workers.length } : undefined;
    },
    perSecond(workers) {
      if (workers === 0 || seconds < LEAST_SECONDS || completions < LEAST_COMPLETIONS) return undefined;
      return (completions / workerSeconds) * workers;
    },
  };
}

/** `assay_tasks_total` in the metrics of one worker. */
function completionsIn(metrics: readonly unknown[], service: string): number {
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
