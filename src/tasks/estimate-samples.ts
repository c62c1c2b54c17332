export type EstimateSamples = ReturnType<typeof createEstimateSamples>;

export interface TaskOutcome {
  readonly id: string;
  /** From queueing to the end; null if the task was deleted. */
  readonly seconds: number | null;
  /** Null without a completed attempt, for example after a cancellation. */
  readonly processingMs: number | null;
}

/** From the latest outcomes. */
export interface Learned {
  readonly meanSeconds: number;
  /** The 90th percentile of the durations. */
  readonly longSeconds: number;
  /** The 90th percentile of actual / expected time, at least `MIN_FACTOR`. */
  readonly factor: number;
}

const OUTCOMES = 200;
const MIN_OUTCOMES = 20;
const QUANTILE = 0.9;
/** Bounds the queries for outcomes. */
const MAX_OPEN = 256;
/** Estimates are whole seconds. */
const RESOLUTION_SECONDS = 1;
/** The measured rate is that of the last 30 s. Maximum: chosen, bounds the effect of an outage. */
const MIN_FACTOR = 1.2;
const MAX_FACTOR = 20;
/** Chosen: older ratios are not used, so that the effect of an outage ends. */
const MAX_AGE_MS = 30 * 60_000;

/** Compares expected with actual times of a sample of the accepted tasks of one service and priority. */
export function createEstimateSamples(now = () => performance.now()) {
  const open = new Map<string, { readonly expectedSeconds: number | undefined; readonly at: number }>();
  const durations: number[] = [];
  const ratios: { readonly ratio: number; readonly at: number }[] = [];
  let [interval, skipped] = [1, 0];
  let learned: Learned | undefined;

  /** While many tasks are open, every second, fourth, … task is sampled. */
  const thinOut = () => {
    for (const [index, id] of [...open.keys()].entries()) if (index % 2 === 1) open.delete(id);
    interval *= 2;
  };
  const overdueRatios = () =>
    [...open.values()]
      .map(({ expectedSeconds, at }) => ratioOf((now() - at) / 1000, expectedSeconds))
      .filter((ratio) => ratio > 1);

  return {
    /** `expectedSeconds`: undefined while no expectation exists; then only the duration is recorded. */
    add(id: string, expectedSeconds: number | undefined): void {
      if (++skipped < interval) return;
      skipped = 0;
      open.set(id, { expectedSeconds, at: now() });
      if (open.size > MAX_OPEN) thinOut();
    },
    openIds: () => [...open.keys()],
    /** Records tasks that ended, and those that were deleted. */
    record(ended: readonly TaskOutcome[]): void {
      for (const { id, seconds, processingMs } of ended) {
        const sample = open.get(id);
        if (!sample) continue;
        open.delete(id);
        if (seconds === null || processingMs === null) continue;
        durations.push(processingMs / 1000);
        if (sample.expectedSeconds !== undefined)
          ratios.push({ ratio: ratioOf(seconds, sample.expectedSeconds), at: now() });
      }
      if (interval > 1 && open.size < MAX_OPEN / 4) interval /= 2;
      for (const values of [durations, ratios]) values.splice(0, values.length - OUTCOMES);
      while (ratios.length > 0 && ratios[0]!.at < now() - MAX_AGE_MS) ratios.shift();
      if (durations.length < MIN_OUTCOMES) return;
      // Overdue tasks show a slowdown before the first of them ends.
      const allRatios = ratios.length < MIN_OUTCOMES ? [] : [...ratios.map(({ ratio }) => ratio), ...overdueRatios()];
      learned = {
        meanSeconds: durations.reduce((sum, each) => sum + each, 0) / durations.length,
        longSeconds: quantile(durations)!,
        factor: Math.min(MAX_FACTOR, Math.max(MIN_FACTOR, quantile(allRatios) ?? 0)),
      };
    },
    /** Undefined until enough tasks have ended. */
    learned: () => learned,
  };
}

const ratioOf = (seconds: number, expectedSeconds = Number.POSITIVE_INFINITY) =>
  Math.max(seconds, RESOLUTION_SECONDS) / Math.max(expectedSeconds, RESOLUTION_SECONDS);

const quantile = (values: readonly number[]): number | undefined =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * QUANTILE) - 1];
