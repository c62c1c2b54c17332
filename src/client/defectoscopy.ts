import type { Bytes } from './bytes.ts';
import type { Connection } from './connection.ts';
import type { WaitOptions } from './poll.ts';
import type { Polling } from './poll-schedule.ts';
import type { CallOptions } from './request.ts';
import {
  type CreateOptions,
  cancelTask,
  createTask,
  readTask,
  resultPath,
  type TaskHandle,
  type UploadedFile,
  uploadFile,
  uploadIfNeeded,
  type WebhookKeys,
  type WithRequired,
  type WithStatus,
  waitForTask,
  webhookKeys,
} from './tasks.ts';
import type { DefectoscopyHealth, Heatmap, PhotoAccepted, PhotoState, PredictRequest } from './wire/defectoscopy.ts';

export interface PredictOptions extends CreateOptions {
  /** `realtime` (default) runs before `batch`. */
  readonly priority?: 'realtime' | 'batch' | undefined;
  readonly webhookUrl?: string | undefined;
  readonly modelVersion?: string | undefined;
}

export type PhotoTask = PhotoAccepted & TaskHandle & { readonly accepted_at_ms: number };

export type WaitingPhoto = WithStatus<PhotoState, 'queued' | 'processing'>;
export type DonePhoto = WithStatus<
  WithRequired<PhotoState, 'result' | 'processing_time_ms' | 'completed_at' | 'model_version'>,
  'done'
>;
export type FailedPhoto = WithStatus<WithRequired<PhotoState, 'error' | 'error_code'>, 'failed'>;
export type Photo = WaitingPhoto | DonePhoto | FailedPhoto;

export class Defectoscopy {
  readonly #line: Connection;
  readonly #polling: Polling;

  constructor(line: Connection, polling: Polling) {
    this.#line = line;
    this.#polling = polling;
  }

  /** Creates a task for an https address, or for bytes, which are uploaded first. */
  async predict(image: string | URL | Bytes, options: PredictOptions = {}): Promise<PhotoTask> {
    const { priority, webhookUrl, modelVersion } = options;
    const request: PredictRequest = {
      image_url: await uploadIfNeeded(this.#line, image, options),
      ...(priority !== undefined && { priority }),
      ...(webhookUrl !== undefined && { webhook_url: webhookUrl }),
      ...(modelVersion !== undefined && { model_version: modelVersion }),
    };
    return createTask<PhotoAccepted>(this.#line, '/predict', request, options);
  }

  /** Reads the current state. Throws `TaskNotFound` for an unknown or expired task. */
  result(taskId: string, options: CallOptions = {}): Promise<Photo> {
    return readTask(this.#line, taskId, options);
  }

  /** Waits until the task is done. Throws `TaskFailed` if it fails or is cancelled. */
  wait(task: TaskHandle | string, options: WaitOptions<Photo> = {}): Promise<DonePhoto> {
    const context = { line: this.#line, polling: this.#polling };
    return waitForTask<Photo>(context, task, options) as Promise<DonePhoto>;
  }

  /** Cancels a task. Throws `Conflict` if it has already ended. */
  cancel(taskId: string, options: CallOptions = {}): Promise<FailedPhoto> {
    return cancelTask(this.#line, taskId, options);
  }

  /** Activation map of a class on the upright photo, values 0..1. */
  async heatmap(taskId: string, className: string, { signal }: CallOptions = {}): Promise<Heatmap> {
    const answer = await this.#line.request(`${resultPath(taskId)}/heatmap`, { query: { class: className }, signal });
    return answer.data<Heatmap>();
  }

  async classes(options: CallOptions = {}): Promise<{ defects: readonly string[]; surfaces: readonly string[] }> {
    const list = async (kind: string) =>
      (await this.#line.request(`/classes/${kind}`, { signal: options.signal })).data<string[]>();
    const [defects, surfaces] = await Promise.all([list('defects'), list('surfaces')]);
    return { defects, surfaces };
  }

  /** The loaded model. Throws `Unavailable` if no model is loaded; needs no token. */
  async health({ signal }: CallOptions = {}): Promise<DefectoscopyHealth> {
    return (await this.#line.request('/health', { retries: 0, signal })).data<DefectoscopyHealth>();
  }

  /** Uploads a file for use in tasks; it expires with the results. */
  upload(bytes: Bytes, options: CallOptions = {}): Promise<UploadedFile> {
    return uploadFile(this.#line, bytes, options);
  }

  webhookKeys(options: CallOptions = {}): Promise<WebhookKeys> {
    return webhookKeys(this.#line, options);
  }
}
