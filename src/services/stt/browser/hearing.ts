import type { Api } from '../../../ui/browser/api.ts';
import { type Errand, newErrand, run, type TaskState as State } from '../../../ui/browser/errand.ts';
import type { Timed } from '../../../ui/browser/paragraphs.ts';

/** What `GET /result/{task_id}` answers. */
export interface TaskState extends State {
  readonly result?: {
    readonly transcription: string;
    readonly service: string;
    readonly language?: string;
    readonly duration_seconds?: number;
    readonly segments?: readonly Timed[];
    readonly words?: readonly Timed[];
  };
}

/** One recording of this visit, from the moment it was chosen or made. */
export interface Hearing extends Errand<TaskState> {
  /** ISO 639-1, or `auto`. */
  readonly language: string;
}

export const newHearing = (file: File, language: string): Hearing => ({ ...newErrand(file), language });

/** Takes a recording through the public API as any client would. */
export function hear(it: Hearing, api: Api, changed: () => void): Promise<void> {
  const body = (url: string) => ({ url, language: it.language });
  return run(it, { api, path: 'transcribe/audio_url', body, longestWaitSeconds: 2 }, changed);
}
