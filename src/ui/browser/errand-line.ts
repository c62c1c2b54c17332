import { type Api, Refusal } from './api.ts';
import { type Errand, giveUp, isOver } from './errand.ts';
import { fill } from './fill.ts';

export interface ErrandLine<Job extends Errand> {
  readonly all: readonly Job[];
  join(job: Job): void;
  /** Up to the limit; also runs when a job ends. */
  next(): void;
  cancel(job: Job): Promise<void>;
}

export function openErrandLine<Job extends Errand>(options: {
  readonly api: Api;
  readonly atOnce: number;
  /** Runs one job; throws {@link RequestError} for an error response. */
  readonly run: (job: Job, onChange: () => void) => Promise<void>;
  readonly changed: (job: Job) => void;
  /** With a `{message}` placeholder. */
  readonly unexpected: string;
}): ErrandLine<Job> {
  const { api, atOnce: concurrency, changed: onChange, unexpected } = options;
  const all: Job[] = [];

  function startNext(): void {
    const running = all.filter((job) => job.stage !== 'waiting' && !isOver(job)).length;
    const waiting = all.filter(({ stage }) => stage === 'waiting');
    for (const job of waiting.slice(0, Math.max(0, concurrency - running))) void run(job);
  }

  async function run(job: Job): Promise<void> {
    try {
      await options.run(job, () => onChange(job));
    } catch (error) {
      if (job.stop.signal.aborted) return end(job, 'cancelled');
      job.failure =
        error instanceof Refusal
          ? { code: error.code, sentence: error.message }
          : { code: '', sentence: fill(unexpected, { message: String(error) }) };
      return end(job, 'failed');
    }
    onChange(job);
    startNext();
  }

  function end(job: Job, stage: 'failed' | 'cancelled'): void {
    job.stage = stage;
    job.began[stage] = performance.now();
    onChange(job);
    startNext();
  }

  return {
    all,
    join: (job) => void all.push(job),
    next: startNext,
    async cancel(job) {
      const waited = job.stage === 'waiting';
      // A rejection means that the task has just ended; polling returns its result.
      await giveUp(job, api).catch(() => {});
      if (waited) end(job, 'cancelled');
    },
  };
}
