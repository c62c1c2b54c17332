import type { Bytes } from './bytes.ts';
import type { WaitOptions } from './follow.ts';
import type { Line } from './line.ts';
import type { Polling } from './pace.ts';
import type { CallOptions } from './request.ts';
import {
  type CreateOptions,
  cancelTask,
  createTask,
  type In,
  pathOf,
  readTask,
  referenceTo,
  type TaskHandle,
  type UploadedFile,
  uploadFile,
  type WebhookKeys,
  type With,
  waitForTask,
  webhookKeys,
} from './tasks.ts';
import type { RecordingAccepted, RecordingState, SttHealth, TranscribeRequest, Transcription } from './wire/stt.ts';

export interface TranscribeOptions extends CreateOptions {
  /** ISO 639-1, or `auto`: the engine finds out. */
  readonly language?: string | undefined;
  /** Anything of yours; it comes back with every answer. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** Called once the final result is recorded; with a secret it is signed with that too. */
  readonly webhook?: { readonly url: string; readonly secret?: string } | undefined;
}

/** An accepted recording. */
export type RecordingTask = RecordingAccepted & TaskHandle & { readonly accepted_at_ms: number };

export type WaitingRecording = In<RecordingState, 'queued' | 'processing'>;
export type DoneRecording = In<With<RecordingState, 'result' | 'processing_time_ms' | 'completed_at'>, 'done'>;
export type FailedRecording = In<With<RecordingState, 'error' | 'error_code' | 'failed_at'>, 'failed'>;
/** A recording's task: `status` tells which of the three it is. */
export type Recording = WaitingRecording | DoneRecording | FailedRecording;

/** What a callback tells of a recording whose result is too large for it: `result` reads the rest. */
export type TruncatedRecording = In<With<RecordingState, 'truncated'>, 'done'>;

export type TranscriptFormat = 'txt' | 'srt' | 'vtt';

/** Recordings in, text out. */
export class Stt {
  readonly #line: Line;
  readonly #polling: Polling;

  constructor(line: Line, polling: Polling) {
    this.#line = line;
    this.#polling = polling;
  }

  /** Creates a task for a recording: its https address, or its bytes, which are uploaded first. */
  async transcribe(audio: string | URL | Bytes, options: TranscribeOptions = {}): Promise<RecordingTask> {
    const { language, metadata, webhook } = options;
    const request: TranscribeRequest = {
      url: await referenceTo(this.#line, audio, options),
      ...(language !== undefined && { language }),
      ...(metadata !== undefined && { metadata }),
      ...(webhook !== undefined && { webhook }),
    };
    return createTask<RecordingAccepted>(this.#line, '/transcribe/audio_url', request, options);
  }

  /** The task as it is now. Throws `TaskNotFound` for one that is unknown or older than its time. */
  result(taskId: string, options: CallOptions = {}): Promise<Recording> {
    return readTask(this.#line, taskId, options);
  }

  /** Waits until the task is done. Throws `TaskFailed` where it ends without a result. */
  wait(task: TaskHandle | string, options: WaitOptions<Recording> = {}): Promise<DoneRecording> {
    const way = { line: this.#line, polling: this.#polling };
    return waitForTask<Recording>(way, task, options) as Promise<DoneRecording>;
  }

  /** Gives a task up. Throws `Conflict` where it had ended. */
  cancel(taskId: string, options: CallOptions = {}): Promise<FailedRecording> {
    return cancelTask(this.#line, taskId, options);
  }

  /** The text of a task that is done, for people and players; `json` is the result itself. */
  transcript(taskId: string, format: 'json', options?: CallOptions): Promise<Transcription>;
  transcript(taskId: string, format?: TranscriptFormat, options?: CallOptions): Promise<string>;
  async transcript(
    taskId: string,
    format: TranscriptFormat | 'json' = 'txt',
    { signal }: CallOptions = {},
  ): Promise<string | Transcription> {
    const headers = { accept: '*/*' };
    const answer = await this.#line.ask(`${pathOf(taskId)}/transcript`, { query: { format }, headers, signal });
    return format === 'json' ? answer.data<Transcription>() : answer.text;
  }

  /** What hears recordings. Throws `Unavailable` where nothing does; needs no token. */
  async health({ signal }: CallOptions = {}): Promise<SttHealth> {
    return (await this.#line.ask('/health', { retries: 0, signal })).data<SttHealth>();
  }

  /** Keeps bytes that a task may name, as long as a result is kept. */
  upload(bytes: Bytes, options: CallOptions = {}): Promise<UploadedFile> {
    return uploadFile(this.#line, bytes, options);
  }

  /** The public keys that callbacks are signed with, for `verifyWebhook`. */
  webhookKeys(options: CallOptions = {}): Promise<WebhookKeys> {
    return webhookKeys(this.#line, options);
  }
}
