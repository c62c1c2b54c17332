import type { Api } from '../../../ui/browser/api.ts';
import { type TaskState as BaseTaskState, type Errand, newErrand, run } from '../../../ui/browser/errand.ts';
import type { Timed } from '../../../ui/browser/paragraphs.ts';

/** The response of `GET /result/{task_id}`. */
export interface TaskState extends BaseTaskState {
  readonly result?: {
    readonly transcription: string;
    readonly service: string;
    readonly language?: string;
    readonly duration_seconds?: number;
    readonly segments?: readonly Timed[];
    readonly words?: readonly Timed[];
  };
}

export interface Hearing extends Errand<TaskState> {
  /** ISO 639-1, or `auto`. */
  readonly language: string;
}

export const newHearing = (file: File, language: string): Hearing => ({ ...newErrand(file), language });

export function hear(job: Hearing, api: Api, onChange: () => void): Promise<void> {
  const body = (url: string) => ({ url, language: job.language });
  return run(job, { api, path: 'transcribe/audio_url', body, longestWaitSeconds: 2 }, onChange);
}
