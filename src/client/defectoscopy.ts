import type { Bytes } from './bytes.ts';
import { type GroupingOptions, groupingFields } from './grouping.ts';
import type { CallOptions } from './request.ts';
import {
  type CreateOptions,
  type FileOptions,
  fileNameField,
  resultPath,
  type TaskHandle,
  TaskService,
  type WithRequired,
  type WithStatus,
} from './tasks.ts';
import type {
  CorrectionRequest,
  Corrections,
  DefectoscopyHealth,
  Heatmap,
  ModelList,
  ModelTraining,
  PhotoAccepted,
  PhotoEvent,
  PhotoState,
  PredictRequest,
  ShadowComparisons,
} from './wire/defectoscopy.ts';

export interface PredictOptions extends CreateOptions, FileOptions, GroupingOptions {
  /** `realtime` (default) runs before `batch`. */
  readonly priority?: 'realtime' | 'batch' | undefined;
  readonly webhookUrl?: string | undefined;
  readonly modelVersion?: string | undefined;
  /** `whole` also analyses the photo in tiles and merges their defects; `auto` (default) only adds regions, to large photos. */
  readonly inspect?: PredictRequest['inspect'];
}

export type PhotoTask = PhotoAccepted & TaskHandle & { readonly accepted_at_ms: number };

export type WaitingPhoto = WithStatus<PhotoState, 'queued' | 'processing'>;
export type DonePhoto = WithStatus<
  WithRequired<PhotoState, 'result' | 'processing_time_ms' | 'completed_at' | 'model_version'>,
  'done'
>;
export type FailedPhoto = WithStatus<WithRequired<PhotoState, 'error' | 'error_code'>, 'failed'>;
export type Photo = WaitingPhoto | DonePhoto | FailedPhoto;

export class Defectoscopy extends TaskService<Photo, PhotoEvent, PredictRequest> {
  /** Creates a task for an https address, or for bytes, which are uploaded first. */
  async predict(image: string | URL | Bytes, options: PredictOptions = {}): Promise<PhotoTask> {
    const { priority, webhookUrl, modelVersion, inspect } = options;
    const request: PredictRequest = {
      image_url: await this.urlOf(image, options),
      ...(priority !== undefined && { priority }),
      ...(webhookUrl !== undefined && { webhook_url: webhookUrl }),
      ...(modelVersion !== undefined && { model_version: modelVersion }),
      ...(inspect !== undefined && { inspect }),
      ...fileNameField(image, options),
      ...groupingFields(options),
    };
    return this.create<PhotoAccepted>('/predict', request, options);
  }

  /** Activation map of a class on the upright photo, values 0..1. */
  async heatmap(taskId: string, className: string, { signal }: CallOptions = {}): Promise<Heatmap> {
    return this.line.data(`${resultPath(taskId)}/heatmap`, { query: { class: className }, signal });
  }

  /** The photo as it was uploaded with this token. Throws `NotFound` for a photo at another URL. */
  async photo(taskId: string, { signal }: CallOptions = {}): Promise<Uint8Array<ArrayBuffer>> {
    return this.line.bytes(`${resultPath(taskId)}/photo`, { signal });
  }

  /** Corrections of a result by reviewers. */
  async corrections(taskId: string, { signal }: CallOptions = {}): Promise<Corrections> {
    return this.line.data(`${resultPath(taskId)}/correction`, { signal });
  }

  /** Confirms or corrects the classes of a result. `ifVersion` protects other reviewers' corrections; needs a reviewer's token. */
  async correct(
    taskId: string,
    classes: CorrectionRequest,
    { ifVersion, signal }: CallOptions & { readonly ifVersion?: number | undefined } = {},
  ): Promise<Corrections> {
    return this.line.data(`${resultPath(taskId)}/correction`, { method: 'PUT', json: classes, ifVersion, signal });
  }

  async classes({ signal }: CallOptions = {}): Promise<{ defects: readonly string[]; surfaces: readonly string[] }> {
    const list = (kind: string) => this.line.data<string[]>(`/classes/${kind}`, { signal });
    const [defects, surfaces] = await Promise.all([list('defects'), list('surfaces')]);
    return { defects, surfaces };
  }

  /** The installed model versions with the figures of their cards, and the deployed ones. */
  async models({ signal }: CallOptions = {}): Promise<ModelList> {
    return this.line.data('/models', { signal });
  }

  /** Makes a version the default of all workers. This and the next two methods need a reviewer's token. */
  async promoteModel(version: string, { signal }: CallOptions = {}): Promise<ModelList> {
    return this.line.data('/models/default', { method: 'PUT', json: { version }, signal });
  }

  /** Restores the default before `version`, which is the default now. */
  async rollBackModel(version: string, { signal }: CallOptions = {}): Promise<ModelList> {
    return this.line.data('/models/rollback', { method: 'POST', json: { version }, signal });
  }

  /** Lets a version classify the photos of the default version for comparison; null ends it. */
  async setShadowModel(version: string | null, { signal }: CallOptions = {}): Promise<ModelList> {
    return this.line.data('/models/shadow', { method: 'PUT', json: { version }, signal });
  }

  /** How often shadow and default versions agreed in the last days (7, at most 90). */
  async shadowComparisons({
    days,
    signal,
  }: CallOptions & { readonly days?: number | undefined } = {}): Promise<ShadowComparisons> {
    return this.line.data('/models/shadow', { query: { days }, signal });
  }

  /** Trains a version on the corrections; needs a reviewer's token. `training` reports its progress and figures. */
  async trainModel({
    version,
    signal,
  }: CallOptions & { readonly version?: string | undefined } = {}): Promise<ModelTraining> {
    return this.line.data('/models/train', { method: 'POST', json: version === undefined ? {} : { version }, signal });
  }

  /** The last training of a version. */
  async training({ signal }: CallOptions = {}): Promise<ModelTraining> {
    return this.line.data('/models/training', { signal });
  }

  /** The loaded model. Throws `Unavailable` if no model is loaded; needs no token. */
  async health({ signal }: CallOptions = {}): Promise<DefectoscopyHealth> {
    return this.line.data('/health', { retries: 0, signal });
  }
}
