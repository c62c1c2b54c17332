import type { Bytes } from './bytes.ts';
import type { WaitOptions } from './follow.ts';
import type { Line } from './line.ts';
import type { Polling } from './pace.ts';
import type { CallOptions } from './request.ts';
import {
  type CreateOptions,
  cancelTask,
  createTask,
  type In,
  pathOf,
  readTask,
  referenceTo,
  type TaskHandle,
  type UploadedFile,
  uploadFile,
  type WebhookKeys,
  type With,
  waitForTask,
  webhookKeys,
} from './tasks.ts';
import type { DefectoscopyHealth, Heatmap, PhotoAccepted, PhotoState, PredictRequest } from './wire/defectoscopy.ts';

export interface PredictOptions extends CreateOptions {
  /** `batch` gives way to `realtime`, which is the default. */
  readonly priority?: 'realtime' | 'batch' | undefined;
  /** Called once the final result is recorded. */
  readonly webhookUrl?: string | undefined;
  /** An installed model version other than the default. */
  readonly modelVersion?: string | undefined;
}

/** An accepted photo. */
export type PhotoTask = PhotoAccepted & TaskHandle & { readonly accepted_at_ms: number };

export type WaitingPhoto = In<PhotoState, 'queued' | 'processing'>;
export type DonePhoto = In<
  With<PhotoState, 'result' | 'processing_time_ms' | 'completed_at' | 'model_version'>,
  'done'
>;
export type FailedPhoto = In<With<PhotoState, 'error' | 'error_code'>, 'failed'>;
/** A photo's task: `status` tells which of the three it is. */
export type Photo = WaitingPhoto | DonePhoto | FailedPhoto;

/** Photos of surfaces in, defect classes out. */
export class Defectoscopy {
  readonly #line: Line;
  readonly #polling: Polling;

  constructor(line: Line, polling: Polling) {
    this.#line = line;
    this.#polling = polling;
  }

  /** Creates a task for an image: its https address, or its bytes, which are uploaded first. */
  async predict(image: string | URL | Bytes, options: PredictOptions = {}): Promise<PhotoTask> {
    const { priority, webhookUrl, modelVersion } = options;
    const request: PredictRequest = {
      image_url: await referenceTo(this.#line, image, options),
      ...(priority !== undefined && { priority }),
      ...(webhookUrl !== undefined && { webhook_url: webhookUrl }),
      ...(modelVersion !== undefined && { model_version: modelVersion }),
    };
    return createTask<PhotoAccepted>(this.#line, '/predict', request, options);
  }

  /** The task as it is now. Throws `TaskNotFound` for one that is unknown or older than its time. */
  result(taskId: string, options: CallOptions = {}): Promise<Photo> {
    return readTask(this.#line, taskId, options);
  }

  /** Waits until the task is done. Throws `TaskFailed` where it ends without a result. */
  wait(task: TaskHandle | string, options: WaitOptions<Photo> = {}): Promise<DonePhoto> {
    const way = { line: this.#line, polling: this.#polling };
    return waitForTask<Photo>(way, task, options) as Promise<DonePhoto>;
  }

  /** Gives a task up. Throws `Conflict` where it had ended. */
  cancel(taskId: string, options: CallOptions = {}): Promise<FailedPhoto> {
    return cancelTask(this.#line, taskId, options);
  }

  /** Where on the upright photo a class was seen, as a grid of values from 0 to 1. */
  async heatmap(taskId: string, className: string, { signal }: CallOptions = {}): Promise<Heatmap> {
    const answer = await this.#line.ask(`${pathOf(taskId)}/heatmap`, { query: { class: className }, signal });
    return answer.data<Heatmap>();
  }

  /** The names that results can have. */
  async classes(options: CallOptions = {}): Promise<{ defects: readonly string[]; surfaces: readonly string[] }> {
    const list = async (kind: string) =>
      (await this.#line.ask(`/classes/${kind}`, { signal: options.signal })).data<string[]>();
    const [defects, surfaces] = await Promise.all([list('defects'), list('surfaces')]);
    return { defects, surfaces };
  }

  /** Which model is loaded. Throws `Unavailable` where none is; needs no token. */
  async health({ signal }: CallOptions = {}): Promise<DefectoscopyHealth> {
    return (await this.#line.ask('/health', { retries: 0, signal })).data<DefectoscopyHealth>();
  }

  /** Keeps bytes that a task may name, as long as a result is kept. */
  upload(bytes: Bytes, options: CallOptions = {}): Promise<UploadedFile> {
    return uploadFile(this.#line, bytes, options);
  }

  /** The public keys that callbacks are signed with, for `verifyWebhook`. */
  webhookKeys(options: CallOptions = {}): Promise<WebhookKeys> {
    return webhookKeys(this.#line, options);
  }
}
