import type { Bytes } from './bytes.ts';
import type { CallOptions } from './request.ts';
import {
  type CreateOptions,
  resultPath,
  type TaskHandle,
  TaskService,
  type WithRequired,
  type WithStatus,
} from './tasks.ts';
import type {
  RecordingAccepted,
  RecordingEvent,
  RecordingState,
  SttHealth,
  TranscribeRequest,
  Transcription,
  Vocabulary,
} from './wire/stt.ts';

export interface TranscribeOptions extends CreateOptions {
  readonly language?: string | undefined;
  /** Words and names that the model prefers, in addition to those of the token; objects also give spoken forms. */
  readonly vocabulary?: readonly VocabularyTerm[] | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** Called with the final result; with a secret the request is also signed with it. */
  readonly webhook?: { readonly url: string; readonly secret?: string } | undefined;
}

export type RecordingTask = RecordingAccepted & TaskHandle & { readonly accepted_at_ms: number };

export type WaitingRecording = WithStatus<RecordingState, 'queued' | 'processing'>;
export type DoneRecording = WithStatus<
  WithRequired<RecordingState, 'result' | 'processing_time_ms' | 'completed_at'>,
  'done'
>;
export type FailedRecording = WithStatus<WithRequired<RecordingState, 'error' | 'error_code' | 'failed_at'>, 'failed'>;
export type Recording = WaitingRecording | DoneRecording | FailedRecording;

/** Webhook content when the result is too large; `result` reads the rest. */
export type TruncatedRecording = WithStatus<WithRequired<RecordingState, 'truncated'>, 'done'>;

export type VocabularyTerm = NonNullable<TranscribeRequest['vocabulary']>[number];

export type TranscriptFormat = 'txt' | 'srt' | 'vtt';

export class Stt extends TaskService<Recording, RecordingEvent> {
  async transcribe(audio: string | URL | Bytes, options: TranscribeOptions = {}): Promise<RecordingTask> {
    const { language, vocabulary, metadata, webhook } = options;
    const request: TranscribeRequest = {
      url: await this.urlOf(audio, options),
      ...(language !== undefined && { language }),
      ...(vocabulary !== undefined && { vocabulary }),
      ...(metadata !== undefined && { metadata }),
      ...(webhook !== undefined && { webhook }),
    };
    return this.create<RecordingAccepted>('/transcribe/audio_url', request, options);
  }

  transcript(taskId: string, format: 'json', options?: CallOptions): Promise<Transcription>;
  transcript(taskId: string, format?: TranscriptFormat, options?: CallOptions): Promise<string>;
  async transcript(
    taskId: string,
    format: TranscriptFormat | 'json' = 'txt',
    { signal }: CallOptions = {},
  ): Promise<string | Transcription> {
    const headers = { accept: '*/*' };
    const answer = await this.line.request(`${resultPath(taskId)}/transcript`, { query: { format }, headers, signal });
    return format === 'json' ? answer.data<Transcription>() : answer.text();
  }

  /** The words that all recordings of this token prefer. */
  vocabulary({ signal }: CallOptions = {}): Promise<Vocabulary> {
    return this.line.data('/vocabulary', { signal });
  }

  /** Replaces the words that all recordings of this token prefer; an empty list deletes them. */
  replaceVocabulary(terms: readonly VocabularyTerm[], { signal }: CallOptions = {}): Promise<Vocabulary> {
    return this.line.data('/vocabulary', { method: 'PUT', json: { terms }, repeatable: true, signal });
  }

  /** The loaded models. Throws `Unavailable` if no model is loaded; needs no token. */
  async health({ signal }: CallOptions = {}): Promise<SttHealth> {
    return this.line.data('/health', { retries: 0, signal });
  }
}
