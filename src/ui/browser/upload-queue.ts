import type { ApiClient } from './api.ts';
import { fill } from './fill.ts';
import { RequestError } from './requests.ts';
import { cancelUploadJob, isOver, type UploadJob } from './upload-job.ts';

export function createUploadQueue<Job extends UploadJob>(options: {
  readonly api: ApiClient;
  readonly concurrency: number;
  /** Runs one job; throws {@link RequestError} for an error response. */
  readonly run: (job: Job, onChange: () => void) => Promise<void>;
  readonly onChange: (job: Job) => void;
  /** With a `{message}` placeholder. */
  readonly unexpected: string;
}) {
  const { api, concurrency, onChange, unexpected } = options;
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
      if (job.abortController.signal.aborted) return end(job, 'cancelled');
      job.failure =
        error instanceof RequestError
          ? { code: error.code ?? '', sentence: error.message }
          : { code: '', sentence: fill(unexpected, { message: String(error) }) };
      return end(job, 'failed');
    }
    onChange(job);
    startNext();
  }

  function end(job: Job, stage: 'failed' | 'cancelled'): void {
    job.stage = stage;
    job.startedAt[stage] = performance.now();
    onChange(job);
    startNext();
  }

  return {
    all: all as readonly Job[],
    add: (job: Job) => void all.push(job),
    /** Up to the limit; also runs when a job ends. */
    startNext,
    async cancel(job: Job) {
      const waited = job.stage === 'waiting';
      // A rejection means that the task has just ended; polling returns its result.
      await cancelUploadJob(job, api).catch(() => {});
      if (waited) end(job, 'cancelled');
    },
  };
}
