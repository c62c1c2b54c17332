import type { ApiClient } from '../../../ui/browser/api.ts';
import {
  type TaskState as BaseTaskState,
  createUploadJob,
  readUploadedFile,
  runUploadJob,
  type UploadJob,
} from '../../../ui/browser/upload-job.ts';
import type { Recorded } from '../result.ts';
import type { WrittenTerm } from './term-lines.ts';

/** The response of `GET /result/{task_id}`. */
export interface TaskState extends BaseTaskState {
  readonly result?: Recorded;
}

export interface TranscriptionJob extends UploadJob<TaskState> {
  /** ISO 639-1, or `auto`. */
  readonly language: string;
  readonly vocabulary: readonly WrittenTerm[];
}

export const createTranscriptionJob = (
  source: File | string,
  inputs: Pick<TranscriptionJob, 'language' | 'vocabulary'>,
): TranscriptionJob => ({ ...createUploadJob(source), ...inputs });

export function runTranscriptionJob(job: TranscriptionJob, api: ApiClient, onChange: () => void): Promise<void> {
  if (!job.file) void readUploadedFile(job, api, 'recording').then(onChange);
  const body = (url: string) => ({ url, language: job.language, vocabulary: [...job.vocabulary] });
  return runUploadJob(job, { api, path: 'transcribe/audio_url', body, maxWaitSeconds: 2 }, onChange);
}
