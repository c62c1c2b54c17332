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
import type { RecordingAccepted, RecordingState, SttHealth, TranscribeRequest, Transcription } from './wire/stt.ts';

export interface TranscribeOptions extends CreateOptions {
  readonly language?: string | undefined;
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

export type TranscriptFormat = 'txt' | 'srt' | 'vtt';

export class Stt {
  readonly #line: Connection;
  readonly #polling: Polling;

  constructor(line: Connection, polling: Polling) {
    this.#line = line;
    this.#polling = polling;
  }

  async transcribe(audio: string | URL | Bytes, options: TranscribeOptions = {}): Promise<RecordingTask> {
    const { language, metadata, webhook } = options;
    const request: TranscribeRequest = {
      url: await uploadIfNeeded(this.#line, audio, options),
      ...(language !== undefined && { language }),
      ...(metadata !== undefined && { metadata }),
      ...(webhook !== undefined && { webhook }),
    };
    return createTask<RecordingAccepted>(this.#line, '/transcribe/audio_url', request, options);
  }

  /** Reads the current state. Throws `TaskNotFound` for an unknown or expired task. */
  result(taskId: string, options: CallOptions = {}): Promise<Recording> {
    return readTask(this.#line, taskId, options);
  }

  /** Waits until the task is done. Throws `TaskFailed` if it fails or is cancelled. */
  wait(task: TaskHandle | string, options: WaitOptions<Recording> = {}): Promise<DoneRecording> {
    const context = { line: this.#line, polling: this.#polling };
    return waitForTask<Recording>(context, task, options) as Promise<DoneRecording>;
  }

  /** Cancels a task. Throws `Conflict` if it has already ended. */
  cancel(taskId: string, options: CallOptions = {}): Promise<FailedRecording> {
    return cancelTask(this.#line, taskId, options);
  }

  transcript(taskId: string, format: 'json', options?: CallOptions): Promise<Transcription>;
  transcript(taskId: string, format?: TranscriptFormat, options?: CallOptions): Promise<string>;
  async transcript(
    taskId: string,
    format: TranscriptFormat | 'json' = 'txt',
    { signal }: CallOptions = {},
  ): Promise<string | Transcription> {
    const headers = { accept: '*/*' };
    const answer = await this.#line.request(`${resultPath(taskId)}/transcript`, { query: { format }, headers, signal });
    return format === 'json' ? answer.data<Transcription>() : answer.text;
  }

  /** The loaded models. Throws `Unavailable` if no model is loaded; needs no token. */
  async health({ signal }: CallOptions = {}): Promise<SttHealth> {
    return (await this.#line.request('/health', { retries: 0, signal })).data<SttHealth>();
  }

  /** Uploads a file for use in tasks; it expires with the results. */
  upload(bytes: Bytes, options: CallOptions = {}): Promise<UploadedFile> {
    return uploadFile(this.#line, bytes, options);
  }

  webhookKeys(options: CallOptions = {}): Promise<WebhookKeys> {
    return webhookKeys(this.#line, options);
  }
}
