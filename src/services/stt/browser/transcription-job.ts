import type { ApiClient } from '../../../ui/browser/api.ts';
import type { TimedText } from '../../../ui/browser/paragraphs.ts';
import {
  type TaskState as BaseTaskState,
  createUploadJob,
  runUploadJob,
  type UploadJob,
} from '../../../ui/browser/upload-job.ts';

/** The response of `GET /result/{task_id}`. */
export interface TaskState extends BaseTaskState {
  readonly result?: {
    readonly transcription: string;
    readonly service: string;
    readonly language?: string;
    readonly duration_seconds?: number;
    readonly segments?: readonly TimedText[];
    readonly words?: readonly TimedText[];
  };
}

export interface TranscriptionJob extends UploadJob<TaskState> {
  /** ISO 639-1, or `auto`. */
  readonly language: string;
}

export const createTranscriptionJob = (file: File, language: string): TranscriptionJob => ({
  ...createUploadJob(file),
  language,
});

export function runTranscriptionJob(job: TranscriptionJob, api: ApiClient, onChange: () => void): Promise<void> {
  const body = (url: string) => ({ url, language: job.language });
  return runUploadJob(job, { api, path: 'transcribe/audio_url', body, maxWaitSeconds: 2 }, onChange);
}
