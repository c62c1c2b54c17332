// Generated from the schemas of src/services by wire.test.ts; `npx vitest run src/client/wire.test.ts -u` updates it.

export interface TranscribeRequest {
  /** https address of the recording: a public host, or what `POST /files` answered. */
  readonly url: string;
  /** What is spoken, as ISO 639-1 (`en`, `ru`); `auto`: the engine finds out. */
  readonly language?: string;
  /** Anything of yours: at most 16 KiB, 8 levels and 200 keys. Comes back with every answer, as the text that it was. */
  readonly metadata?: Readonly<Record<string, unknown>> | null;
  readonly webhook?: {
    /** Called once the final result is recorded; https. */
    readonly url: string;
    /** The callback is signed with it (Standard Webhooks, `v1`). It is never shown again. */
    readonly secret?: string;
  };
}

export interface RecordingAccepted {
  readonly task_id: string;
  readonly status: 'queued';
  /** Relative to the base address. */
  readonly status_url: string;
  /** When a first poll makes sense; no promise of completion. */
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
  /** The text; empty where no useful speech was found. */
  readonly transcription: string;
  /** What produced the text: `local`, or the provider’s public name. */
  readonly service: string;
  /** ISO 639-1: what most of the recording is in. */
  readonly language?: string;
  readonly duration_seconds?: number;
  readonly segments?: readonly {
    /** From the beginning of the recording. */
    readonly start: number;
    /** From the beginning of the recording. */
    readonly end: number;
    readonly text: string;
  }[];
  /** Where the engine gives the times of words. */
  readonly words?: readonly {
    /** From the beginning of the recording. */
    readonly start: number;
    /** From the beginning of the recording. */
    readonly end: number;
    readonly text: string;
    readonly confidence?: number;
  }[];
}

export interface RecordingState {
  readonly task_id: string;
  readonly status: 'queued' | 'processing' | 'done' | 'failed';
  /** How much was heard, where the recording tells its length. */
  readonly progress?: number;
  readonly result?: Transcription;
  /** In a callback alone: `result` was too large for it; read it here. */
  readonly truncated?: true;
  readonly processing_time_ms?: number;
  /** Unix time in whole seconds. */
  readonly completed_at?: string;
  /** For humans, when the task failed. */
  readonly error?: string;
  /** For programs, when the task failed. */
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
  /** What hears a recording first. */
  readonly model: string;
  /** In the order in which they are tried. */
  readonly providers: readonly {
    readonly name: string;
    readonly model: string;
  }[];
}
