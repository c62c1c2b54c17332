import type { Api } from './api.ts';
import { follow, type OnHitch, type Progress, patiently } from './follow.ts';

/** What `GET /result/{task_id}` answers, whatever the service. */
export interface TaskState extends Progress {
  readonly task_id: string;
  readonly processing_time_ms?: number;
  readonly error?: string;
  readonly error_code?: string;
}

export type Stage = 'waiting' | 'uploading' | 'queued' | 'processing' | 'done' | 'failed' | 'cancelled';

/** One file of this visit on its way through the service, from the moment it was chosen. */
export interface Errand<State extends TaskState = TaskState> {
  readonly file: File;
  /** A `blob:` address of the file itself: it is not asked back from anywhere. */
  readonly preview: string;
  stage: Stage;
  /** When each stage began, by `performance.now()`. */
  readonly began: Partial<Record<Stage, number>>;
  /** How much of the file has left, 0..1. */
  sent: number;
  taskId?: string;
  estimateSeconds?: number;
  state?: State;
  failure?: { readonly code: string; readonly sentence: string };
  /** Why nothing moves at the moment. */
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

/** Where a file becomes a task, and what is asked for it. */
export interface Way {
  readonly path: string;
  readonly body: (url: string) => unknown;
  /** The longest that an answer is waited for while there is progress to be shown. */
  readonly longestWaitSeconds?: number;
}

/** Takes a file through the public API as any client would: `POST /files`, the task, `GET /result/{task_id}`. */
export async function run<State extends TaskState>(
  it: Errand<State>,
  { api, path, body, longestWaitSeconds }: Way & { api: Api },
  changed: () => void,
): Promise<void> {
  const { signal } = it.stop;
  const enter = (stage: Stage) => {
    it.stage = stage;
    it.began[stage] ??= performance.now();
    changed();
  };
  const hitch: OnHitch = (now) => {
    it.hitch = now;
    changed();
  };

  enter('uploading');
  const onSent = (share: number) => {
    it.sent = share;
    changed();
  };
  const upload = () => api.call<{ url: string }>('files', { method: 'POST', file: it.file, signal, onSent });
  const { url } = await patiently(upload, hitch, signal);

  // With a key, a request whose answer was lost can be sent again without making a second task.
  const headers = { 'idempotency-key': newKey() };
  const create = () =>
    api.call<{ task_id: string; estimated_wait_seconds: number }>(path, {
      ...{ method: 'POST', json: body(url), headers, signal },
    });
  const accepted = await patiently(create, hitch, signal);
  it.taskId = accepted.task_id;
  it.estimateSeconds = accepted.estimated_wait_seconds;
  enter('queued');

  const onState = (state: State) => {
    it.state = state;
    if (state.status === 'processing') enter('processing');
  };
  const on = { state: onState, hitch };
  const state = await follow<State>(api, `result/${accepted.task_id}`, on, signal, longestWaitSeconds);
  it.state = state;
  if (state.status === 'done') return enter('done');
  it.failure = { code: state.error_code ?? '', sentence: state.error ?? '' };
  enter(state.error_code === 'CANCELLED' ? 'cancelled' : 'failed');
}

/** Gives a file up: what was not sent yet is not sent, a task is cancelled at the service. */
export async function giveUp(it: Errand, api: Api): Promise<void> {
  if (isOver(it)) return;
  // Once there is a task, its end is the service's to tell: it may just have finished.
  if (it.taskId === undefined) it.stop.abort();
  else await api.call(`result/${it.taskId}/cancel`, { method: 'POST' });
}

/** `crypto.randomUUID` exists only where the page came by https or from this machine. */
const newKey = () => [...crypto.getRandomValues(new Uint32Array(4))].map((part) => part.toString(36)).join('-');
