// Generated from the schemas of src/services by wire.test.ts; `npx vitest run src/client/wire.test.ts -u` updates it.

export interface TranscribeRequest {
  /** https URL of the recording: a public host, or the URL from `POST /files`. */
  readonly url: string;
  /** The spoken language as ISO 639-1 (`en`, `ru`); `auto`: detected. */
  readonly language?: string;
  /** Client data: at most 16 KiB, 8 levels and 200 keys. Returned unchanged in every response. */
  readonly metadata?: Readonly<Record<string, unknown>> | null;
  readonly webhook?: {
    /** Called when the final result is stored; https. */
    readonly url: string;
    /** Signs the webhook (Standard Webhooks, `v1`). It is never returned. */
    readonly secret?: string;
  };
}

export interface RecordingAccepted {
  readonly task_id: string;
  readonly status: 'queued';
  /** Relative to the base URL. */
  readonly status_url: string;
  /** Recommended seconds until the first poll; not a guarantee. */
  readonly estimated_wait_seconds: number;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly webhook?: {
    readonly configured: boolean;
    /** pending, delivered or failed. */
    readonly status: string;
    readonly delivery_id?: string;
    /** Unix time in whole seconds. */
    readonly last_attempt_at?: string;
    /** Unix time in whole seconds. */
    readonly next_attempt_at?: string;
    /** Unix time in whole seconds. */
    readonly delivered_at?: string;
    readonly last_error?: string;
  };
}

export interface Transcription {
  /** The text; empty if no speech was detected. */
  readonly transcription: string;
  /** The provider: `local`, or the name of the remote provider. */
  readonly service: string;
  /** The dominant language, ISO 639-1. */
  readonly language?: string;
  readonly duration_seconds?: number;
  readonly segments?: readonly {
    /** Seconds from the start of the recording. */
    readonly start: number;
    /** Seconds from the start of the recording. */
    readonly end: number;
    readonly text: string;
  }[];
  /** Present if the provider returns word times. */
  readonly words?: readonly {
    /** Seconds from the start of the recording. */
    readonly start: number;
    /** Seconds from the start of the recording. */
    readonly end: number;
    readonly text: string;
    readonly confidence?: number;
  }[];
}

export interface RecordingState {
  readonly task_id: string;
  readonly status: 'queued' | 'processing' | 'done' | 'failed';
  /** Transcribed share; absent if the duration is unknown. */
  readonly progress?: number;
  readonly result?: Transcription;
  /** Only in webhooks: `result` was omitted because of its size. */
  readonly truncated?: true;
  readonly processing_time_ms?: number;
  /** Unix time in whole seconds. */
  readonly completed_at?: string;
  /** Human-readable error of a failed task. */
  readonly error?: string;
  /** Machine-readable error of a failed task. */
  readonly error_code?: string;
  /** Unix time in whole seconds. */
  readonly failed_at?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly webhook?: {
    readonly configured: boolean;
    /** pending, delivered or failed. */
    readonly status: string;
    readonly delivery_id?: string;
    /** Unix time in whole seconds. */
    readonly last_attempt_at?: string;
    /** Unix time in whole seconds. */
    readonly next_attempt_at?: string;
    /** Unix time in whole seconds. */
    readonly delivered_at?: string;
    readonly last_error?: string;
  };
}

export interface SttHealth {
  readonly model_loaded: boolean;
  readonly worker_id: string;
  /** The model of the first provider. */
  readonly model: string;
  /** In order of preference. */
  readonly providers: readonly {
    readonly name: string;
    readonly model: string;
  }[];
}
