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
  RecordingAccepted,
  RecordingEvent,
  RecordingState,
  SttHealth,
  TranscribeRequest,
  Transcript,
  TranscriptHistory,
  TranscriptVersion,
  Vocabulary,
} from './wire/stt.ts';

export interface TranscribeOptions extends CreateOptions, FileOptions, GroupingOptions {
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

export interface TranscriptOptions extends CallOptions {
  /** Default: `corrected`, which is the original if there are no corrections. */
  readonly edition?: 'corrected' | 'original';
}

export class Stt extends TaskService<Recording, RecordingEvent, TranscribeRequest> {
  async transcribe(audio: string | URL | Bytes, options: TranscribeOptions = {}): Promise<RecordingTask> {
    const { language, vocabulary, metadata, webhook } = options;
    const request: TranscribeRequest = {
      url: await this.urlOf(audio, options),
      ...(language !== undefined && { language }),
      ...(vocabulary !== undefined && { vocabulary }),
      ...(metadata !== undefined && { metadata }),
      ...(webhook !== undefined && { webhook }),
      ...fileNameField(audio, options),
      ...groupingFields(options),
    };
    return this.create<RecordingAccepted>('/transcribe/audio_url', request, options);
  }

  transcript(taskId: string, format: 'json', options?: TranscriptOptions): Promise<Transcript>;
  transcript(taskId: string, format?: TranscriptFormat, options?: TranscriptOptions): Promise<string>;
  async transcript(
    taskId: string,
    format: TranscriptFormat | 'json' = 'txt',
    { edition = 'corrected', signal }: TranscriptOptions = {},
  ): Promise<string | Transcript> {
    const request = { query: { format, edition }, headers: { accept: '*/*' }, signal };
    const answer = await this.line.request(`${resultPath(taskId)}/transcript`, request);
    return format === 'json' ? answer.data<Transcript>() : answer.text();
  }

  /**
   * Replaces all segments of the transcript. With `ifVersion` (0 without corrections), throws `Conflict` if the transcript
   * has changed since that version.
   */
  async correct(
    taskId: string,
    segments: NonNullable<Transcript['segments']>,
    { ifVersion, signal }: CallOptions & { readonly ifVersion?: number } = {},
  ): Promise<TranscriptVersion> {
    const repeatable = ifVersion === undefined;
    const path = `${resultPath(taskId)}/transcript`;
    return this.line.data(path, { method: 'PUT', json: { segments }, ifVersion, repeatable, signal });
  }

  /** The latest corrections, oldest first: at most `limit` (100) and 1 MiB. */
  async corrections(
    taskId: string,
    { limit, signal }: CallOptions & { readonly limit?: number } = {},
  ): Promise<TranscriptHistory['edits']> {
    const path = `${resultPath(taskId)}/transcript/history`;
    const { edits } = await this.line.data<TranscriptHistory>(path, { query: { limit }, signal });
    return edits;
  }

  /** The words that all recordings of this token prefer. */
  vocabulary({ signal }: CallOptions = {}): Promise<Vocabulary> {
    return this.line.data('/vocabulary', { signal });
  }

  /**
   * Replaces the words that all recordings of this token prefer; an empty list deletes them. With `ifVersion`, throws `Conflict` if
   * they have changed since that version.
   */
  replaceVocabulary(
    terms: readonly VocabularyTerm[],
    { ifVersion, signal }: CallOptions & { readonly ifVersion?: string } = {},
  ): Promise<Vocabulary> {
    return this.line.data('/vocabulary', { method: 'PUT', json: { terms }, ifVersion, repeatable: true, signal });
  }

  /** The loaded models. Throws `Unavailable` if no model is loaded; needs no token. */
  async health({ signal }: CallOptions = {}): Promise<SttHealth> {
    return this.line.data('/health', { retries: 0, signal });
  }
}
