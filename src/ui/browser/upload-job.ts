import type { ApiClient } from './api.ts';
import { type Grouping, readGroupingInputs } from './grouping.ts';
import { newIdempotencyKey } from './idempotency-key.ts';
import { type OnRetry, pollTask, type TaskProgress, withRetry } from './poll-task.ts';

/** The response of `GET /result/{task_id}`. */
export interface TaskState extends TaskProgress, Grouping {
  readonly task_id: string;
  readonly processing_time_ms?: number;
  readonly error?: string;
  readonly error_code?: string;
  readonly file_name?: string;
}

export type Stage = 'waiting' | 'uploading' | 'queued' | 'processing' | 'done' | 'failed' | 'cancelled';

export interface UploadJob<State extends TaskState = TaskState> {
  /** Undefined for a task that was created before. */
  readonly file: File | undefined;
  /** Of the file; of an earlier task without one its id. */
  name: string;
  readonly grouping: Grouping;
  /** A `blob:` URL of the file. */
  preview: string | undefined;
  /** Of an earlier task: whether its file cannot be read, or is too large to read it unasked. */
  isFileMissing?: boolean;
  stage: Stage;
  /** By `performance.now()`. */
  readonly startedAt: Partial<Record<Stage, number>>;
  /** 0..1. */
  sent: number;
  taskId?: string;
  estimateSeconds?: number;
  state?: State;
  failure?: { readonly code: string; readonly sentence: string };
  /** Why the job is waiting for a retry. */
  pendingRetry?: Parameters<OnRetry>[0];
  readonly abortController: AbortController;
}

/** The end of a long name has the extension. */
const nameOf = ({ name }: File) => (name === '' ? {} : { file_name: [...name].slice(-255).join('') });

/** For a file, or for the id of a task that was created before. */
export const createUploadJob = (source: File | string): UploadJob<never> => ({
  ...(typeof source === 'string'
    ? { file: undefined, name: source, preview: undefined, taskId: source }
    : { file: source, name: source.name, preview: URL.createObjectURL(source) }),
  grouping: readGroupingInputs(),
  stage: 'waiting',
  startedAt: { waiting: performance.now() },
  sent: 0,
  abortController: new AbortController(),
});

export const isOver = ({ stage }: Pick<UploadJob, 'stage'>): boolean =>
  stage === 'done' || stage === 'failed' || stage === 'cancelled';

export interface TaskEndpoint {
  readonly path: string;
  readonly body: (url: string) => object;
  /** Maximum long-poll wait; shorter waits show progress more often. */
  readonly maxWaitSeconds?: number;
}

export async function runUploadJob<State extends TaskState>(
  job: UploadJob<State>,
  { api, path, body, maxWaitSeconds }: TaskEndpoint & { api: ApiClient },
  onChange: () => void,
): Promise<void> {
  const { signal } = job.abortController;
  const enter = (stage: Stage) => {
    job.stage = stage;
    job.startedAt[stage] ??= performance.now();
    onChange();
  };
  const onRetry: OnRetry = (retry) => {
    job.pendingRetry = retry;
    onChange();
  };

  const createTask = async (file: File) => {
    enter('uploading');
    const onUploadProgress = (share: number) => {
      job.sent = share;
      onChange();
    };
    const upload = () => api.call<{ url: string }>('files', { method: 'POST', file, signal, onUploadProgress });
    const { url } = await withRetry(upload, onRetry, signal);

    // Makes it safe to retry a request whose response was lost.
    const headers = { 'idempotency-key': newIdempotencyKey() };
    const create = () =>
      api.call<{ task_id: string; estimated_wait_seconds: number }>(path, {
        ...{ method: 'POST', json: { ...body(url), ...nameOf(file), ...job.grouping }, headers, signal },
      });
    const accepted = await withRetry(create, onRetry, signal);
    job.taskId = accepted.task_id;
    job.estimateSeconds = accepted.estimated_wait_seconds;
  };
  if (job.file) await createTask(job.file);
  enter('queued');

  const onState = (state: State) => {
    job.state = state;
    if (!job.file) job.name = state.file_name ?? job.name;
    if (state.status === 'processing') enter('processing');
  };
  const state = await pollTask<State>(
    api,
    `result/${job.taskId}`,
    { state: onState, retry: onRetry },
    signal,
    maxWaitSeconds,
  );
  onState(state);
  if (state.status === 'done') return enter('done');
  job.failure = { code: state.error_code ?? '', sentence: state.error ?? '' };
  enter(state.error_code === 'CANCELLED' ? 'cancelled' : 'failed');
}

/** An hour of an MP3. Larger files are not read without being asked for. */
const MAX_PREVIEW_BYTES = 64 * 1024 * 1024;

/** Of an earlier task: its file as the preview, if it is stored. `path`: below that of the task. */
export async function readUploadedFile(job: UploadJob, api: ApiClient, path: 'photo' | 'recording'): Promise<void> {
  const file = await api.smallFile(`result/${job.taskId}/${path}`, MAX_PREVIEW_BYTES).catch(() => undefined);
  job.isFileMissing = file === undefined;
  // Meanwhile, the person may have chosen a file.
  if (file) job.preview ??= URL.createObjectURL(file);
}

/** Aborts an upload, or cancels its task. */
export async function cancelUploadJob(job: UploadJob, api: ApiClient): Promise<void> {
  if (isOver(job)) return;
  // The task may just have finished, so its final state comes from the service.
  if (job.taskId === undefined) job.abortController.abort();
  else await api.call(`result/${job.taskId}/cancel`, { method: 'POST' });
}
