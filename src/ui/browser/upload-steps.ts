import type { UiTexts } from '../texts.ts';
import { fill } from './dom.ts';
import type { NumberFormats } from './number-formats.ts';
import { retryText } from './poll-task.ts';
import type { Step } from './steps.ts';
import type { Stage, UploadJob } from './upload-job.ts';
import type { UploadTexts } from './upload-texts.ts';

/** Codes of tasks that may have ended in the queue. */
const UNPROCESSED = ['CANCELLED', 'DEADLINE_EXCEEDED'];
const STAGES = ['uploading', 'queued', 'processing', 'done'] as const;

export function progressSteps(job: UploadJob, { ui, numbers }: { ui: UiTexts; numbers: NumberFormats }): Step[] {
  const times = timesOf(job);
  // Polling may miss the start of processing.
  const isProcessed = job.state?.status === 'failed' && !UNPROCESSED.includes(job.failure?.code ?? '');
  const reached = isProcessed
    ? STAGES.indexOf('processing')
    : STAGES.findLastIndex((stage) => job.startedAt[stage] !== undefined);
  const isUnsuccessful = job.stage === 'failed' || job.stage === 'cancelled';
  return STAGES.map((stage, index) => {
    const time = times[stage];
    const note = time === undefined ? '' : numbers.duration(time);
    if (isUnsuccessful && stage === 'done') return { label: ui.steps[job.stage as 'failed'], state: 'bad', note };
    if (isUnsuccessful && index === reached) return { label: ui.steps[stage], state: 'bad', note };
    if (job.stage === 'done' || index < reached) return { label: ui.steps[stage], state: 'past', note };
    if (index > reached) return { label: ui.steps[stage], state: 'ahead', note };
    const share = stepProgress(job);
    return { label: ui.steps[stage], state: 'now', note: share === undefined ? note : numbers.wholeShare(share) };
  });
}

/** 0..1, if known. */
export function stepProgress({ stage, sent, state }: UploadJob): number | undefined {
  if (stage === 'uploading') return sent > 0 && sent < 1 ? sent : undefined;
  return stage === 'processing' ? state?.progress : undefined;
}

/** Why the job is waiting, or its estimated duration. */
export function stepNote(
  { pendingRetry, stage, estimateSeconds }: UploadJob,
  words: {
    ui: UiTexts;
    numbers: NumberFormats;
    texts: Pick<UploadTexts, 'waiting' | 'estimate' | 'estimateCold' | 'failures'>;
  },
  workerIsWarm: boolean,
): string {
  const { texts, ui, numbers } = words;
  if (pendingRetry) {
    const { refusal } = pendingRetry;
    return retryText(pendingRetry, ui.retry, texts.failures[refusal.code ?? ''] ?? refusal.message);
  }
  if (stage === 'waiting') return texts.waiting;
  if ((stage !== 'queued' && stage !== 'processing') || estimateSeconds === undefined) return '';
  const time = numbers.duration(estimateSeconds * 1000);
  return fill(workerIsWarm ? texts.estimate : texts.estimateCold, { time });
}

/**
 * The durations of the steps so far. Polling may miss the start of processing: its duration is in the response, and the
 * rest is time in the queue.
 */
function timesOf({ startedAt, state, stage }: UploadJob): Partial<Record<Stage, number>> {
  const { uploading, queued, processing } = startedAt;
  if (uploading === undefined) return {};
  const end = startedAt.done ?? startedAt.failed ?? startedAt.cancelled ?? performance.now();
  const times: Partial<Record<Stage, number>> = { uploading: (queued ?? end) - uploading };
  if (queued === undefined) return times;
  const sinceQueued = end - queued;
  const processingMs = state?.processing_time_ms ?? (processing === undefined ? undefined : end - processing);
  if (processingMs !== undefined) times.processing = Math.min(processingMs, sinceQueued);
  times.queued = sinceQueued - (times.processing ?? 0);
  if (stage === 'done') times.done = end - uploading;
  return times;
}
