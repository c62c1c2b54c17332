import type { Api } from '../../../ui/browser/api.ts';
import { follow, type OnHitch, patiently } from '../../../ui/browser/follow.ts';
import type { Heat } from './heat.ts';

interface Scored {
  readonly name: string;
  readonly conf: number;
}

/** What `GET /result/{task_id}` answers. */
export interface TaskState {
  readonly task_id: string;
  readonly status: 'queued' | 'processing' | 'done' | 'failed';
  readonly result?: {
    readonly surface: string;
    readonly masters: readonly Scored[];
    readonly defects: readonly Scored[];
  };
  readonly processing_time_ms?: number;
  readonly model_version?: string;
  readonly error?: string;
  readonly error_code?: string;
}

export type Stage = 'waiting' | 'uploading' | 'queued' | 'processing' | 'done' | 'failed' | 'cancelled';

/** One photo of this visit, from the moment it was chosen. */
export interface Inspection {
  readonly file: File;
  /** A `blob:` address of the file itself: the photo is not asked back from anywhere. */
  readonly preview: string;
  stage: Stage;
  /** When each stage began, by `performance.now()`. */
  readonly began: Partial<Record<Stage, number>>;
  /** How much of the file has left, 0..1. */
  sent: number;
  taskId?: string;
  estimateSeconds?: number;
  state?: TaskState;
  failure?: { readonly code: string; readonly sentence: string };
  /** Why nothing moves at the moment. */
  hitch?: Parameters<OnHitch>[0];
  /** The class whose map is shown; undefined for the bare photo. */
  shown: string | undefined;
  readonly heats: Map<string, Heat | undefined>;
  readonly stop: AbortController;
}

export const newInspection = (file: File): Inspection => ({
  file,
  preview: URL.createObjectURL(file),
  stage: 'waiting',
  began: { waiting: performance.now() },
  sent: 0,
  shown: undefined,
  heats: new Map(),
  stop: new AbortController(),
});

export const isOver = ({ stage }: Inspection): boolean =>
  stage === 'done' || stage === 'failed' || stage === 'cancelled';

/** Takes a photo through the public API as any client would: `POST /files`, `POST /predict`, `GET /result/{task_id}`. */
export async function inspect(it: Inspection, api: Api, changed: () => void): Promise<void> {
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
  const predict = () =>
    api.call<{ task_id: string; estimated_wait_seconds: number }>('predict', {
      ...{ method: 'POST', json: { image_url: url }, headers, signal },
    });
  const accepted = await patiently(predict, hitch, signal);
  it.taskId = accepted.task_id;
  it.estimateSeconds = accepted.estimated_wait_seconds;
  enter('queued');

  const onState = (state: TaskState) => {
    it.state = state;
    if (state.status === 'processing') enter('processing');
  };
  const state = await follow<TaskState>(api, `result/${accepted.task_id}`, { state: onState, hitch }, signal);
  it.state = state;
  if (state.status === 'done') {
    it.shown = state.result?.defects[0]?.name;
    return enter('done');
  }
  it.failure = { code: state.error_code ?? '', sentence: state.error ?? '' };
  enter(state.error_code === 'CANCELLED' ? 'cancelled' : 'failed');
}

/** Gives a photo up: what was not sent yet is not sent, a task is cancelled at the service. */
export async function giveUp(it: Inspection, api: Api): Promise<void> {
  if (isOver(it)) return;
  // Once there is a task, its end is the service's to tell: it may just have finished.
  if (it.taskId === undefined) it.stop.abort();
  else await api.call(`result/${it.taskId}/cancel`, { method: 'POST' });
}

/** `crypto.randomUUID` exists only where the page came by https or from this machine. */
const newKey = () => [...crypto.getRandomValues(new Uint32Array(4))].map((part) => part.toString(36)).join('-');
