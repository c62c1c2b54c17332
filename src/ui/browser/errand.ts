import type { Api } from './api.ts';
import { follow, type OnHitch, type Progress, patiently } from './follow.ts';

/** The response of `GET /result/{task_id}`. */
export interface TaskState extends Progress {
  readonly task_id: string;
  readonly processing_time_ms?: number;
  readonly error?: string;
  readonly error_code?: string;
}

export type Stage = 'waiting' | 'uploading' | 'queued' | 'processing' | 'done' | 'failed' | 'cancelled';

export interface Errand<State extends TaskState = TaskState> {
  readonly file: File;
  /** A `blob:` URL of the file. */
  readonly preview: string;
  stage: Stage;
  /** By `performance.now()`. */
  readonly began: Partial<Record<Stage, number>>;
  /** 0..1. */
  sent: number;
  taskId?: string;
  estimateSeconds?: number;
  state?: State;
  failure?: { readonly code: string; readonly sentence: string };
  /** Why the job is waiting for a retry. */
  hitch?: Parameters<OnHitch>[0];
  readonly stop: AbortController;
}

export const newErrand = (file: File): Errand<never> => ({
  file,
  preview: URL.createObjectURL(file),
  stage: 'waiting',
  began: { waiting: performance.now() },
  sent: 0,
  stop: new AbortController(),
});

export const isOver = ({ stage }: Pick<Errand, 'stage'>): boolean =>
  stage === 'done' || stage === 'failed' || stage === 'cancelled';

export interface Way {
  readonly path: string;
  readonly body: (url: string) => unknown;
  /** Maximum long-poll wait; shorter waits show progress more often. */
  readonly longestWaitSeconds?: number;
}

export async function run<State extends TaskState>(
  job: Errand<State>,
  { api, path, body, longestWaitSeconds: maxWaitSeconds }: Way & { api: Api },
  onChange: () => void,
): Promise<void> {
  const { signal } = job.stop;
  const enter = (stage: Stage) => {
    job.stage = stage;
    job.began[stage] ??= performance.now();
    onChange();
  };
  const onRetry: OnHitch = (retry) => {
    job.hitch = retry;
    onChange();
  };

  enter('uploading');
  const onUploadProgress = (share: number) => {
    job.sent = share;
    onChange();
  };
  const upload = () =>
    api.call<{ url: string }>('files', { method: 'POST', file: job.file, signal, onSent: onUploadProgress });
  const { url } = await patiently(upload, onRetry, signal);

  // Makes it safe to retry a request whose response was lost.
  const headers = { 'idempotency-key': newKey() };
  const create = () =>
    api.call<{ task_id: string; estimated_wait_seconds: number }>(path, {
      ...{ method: 'POST', json: body(url), headers, signal },
    });
  const accepted = await patiently(create, onRetry, signal);
  job.taskId = accepted.task_id;
  job.estimateSeconds = accepted.estimated_wait_seconds;
  enter('queued');

  const onState = (state: State) => {
    job.state = state;
    if (state.status === 'processing') enter('processing');
  };
  const state = await follow<State>(
    api,
    `result/${accepted.task_id}`,
    { state: onState, hitch: onRetry },
    signal,
    maxWaitSeconds,
  );
  job.state = state;
  if (state.status === 'done') return enter('done');
  job.failure = { code: state.error_code ?? '', sentence: state.error ?? '' };
  enter(state.error_code === 'CANCELLED' ? 'cancelled' : 'failed');
}

/** Aborts an upload, or cancels its task. */
export async function giveUp(job: Errand, api: Api): Promise<void> {
  if (isOver(job)) return;
  // The task may just have finished, so its final state comes from the service.
  if (job.taskId === undefined) job.stop.abort();
  else await api.call(`result/${job.taskId}/cancel`, { method: 'POST' });
}

/** `crypto.randomUUID` requires https or localhost. */
const newKey = () => [...crypto.getRandomValues(new Uint32Array(4))].map((part) => part.toString(36)).join('-');
