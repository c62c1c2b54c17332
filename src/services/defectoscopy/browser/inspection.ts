import type { ApiClient } from '../../../ui/browser/api.ts';
import type { Heatmap } from '../../../ui/browser/heatmap.ts';
import {
  type TaskState as BaseTaskState,
  createUploadJob,
  readUploadedFile,
  runUploadJob,
  type UploadJob,
} from '../../../ui/browser/upload-job.ts';
import type { Recorded } from '../result.ts';

export type Result = Omit<Recorded, 'model_version'>;

/** The response of `GET /result/{task_id}`. */
export interface TaskState extends BaseTaskState {
  readonly result?: Result;
  readonly model_version?: string;
}

export interface Inspection extends UploadJob<TaskState> {
  /** The class whose heatmap is shown; undefined for none. */
  selectedClass: string | undefined;
  readonly heatmaps: Map<string, Heatmap | undefined>;
  /** Kept while the result is rendered again. */
  correctionForm?: HTMLElement;
}

export const createInspection = (source: File | string): Inspection => ({
  ...createUploadJob(source),
  selectedClass: undefined,
  heatmaps: new Map(),
});

export function runInspection(job: Inspection, api: ApiClient, onChange: () => void): Promise<void> {
  if (!job.file) void readUploadedFile(job, api, 'photo').then(onChange);
  return runUploadJob(job, { api, path: 'predict', body: (url) => ({ image_url: url }) }, () => {
    if (job.stage === 'done') job.selectedClass ??= job.state?.result?.defects[0]?.name;
    onChange();
  });
}
