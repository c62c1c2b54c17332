export interface Window {
  /** Position in the recording in seconds. */
  readonly start: number;
  readonly end: number;
  /** Mono 16 kHz samples, -1..1. */
  readonly samples: Float32Array;
}

export interface Word {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** 0..1; absent if the engine provides none. */
  readonly confidence?: number;
}

export interface Segment {
  readonly start: number;
  readonly end: number;
  /** Empty: speech that could not be recognized. */
  readonly text: string;
  readonly language?: string;
  readonly words?: readonly Word[];
}

export interface VocabularyTerm {
  readonly term: string;
  /** How it sounds, if it is spoken differently. */
  readonly spoken?: readonly string[] | undefined;
}

/** What a client requested. */
export interface RecognitionRequest {
  /** ISO 639-1; absent: detected. */
  readonly language?: string | undefined;
  /** Into English. */
  readonly translate?: boolean | undefined;
  /** Text before the recording; only remote providers use it. */
  readonly prompt?: string | undefined;
  /** Words and names that are preferred. */
  readonly vocabulary?: readonly VocabularyTerm[] | undefined;
  /** 0 to 1; only remote providers use it. */
  readonly temperature?: number | undefined;
}

/** Transcribes windows, locally (in threads) or at a remote provider. Results carry its `name`. */
export interface Recognizer {
  /** Public name in `result.service`: `local` or the operator's name for a provider. */
  readonly name: string;
  /** Model name for heartbeats and diagnostics: `whisper-base`, `moonshine-base`… */
  readonly model: string;
  readonly windowSeconds: number;
  /** A longer pause ends a window; by default 4 s. */
  readonly maxPauseSeconds?: number | undefined;
  /** How many windows it transcribes at once; default 1. More wait. */
  readonly parallel?: number;
  /**
   * Returns segments in order, none without speech. Rejects with `RecognizerError`, or with the signal's reason when it
   * aborts.
   */
  recognize(window: Window, options: RecognitionRequest & { signal: AbortSignal }): Promise<readonly Segment[]>;
  close(): Promise<void>;
}

/** A recognition failure: `failed` (error or unreachable) or `quota` (the provider's budget is spent). */
export class RecognizerError extends Error {
  override readonly name = 'RecognizerError';
  readonly why: 'failed' | 'quota';
  readonly transient: boolean;

  constructor(message: string, options: { why?: 'failed' | 'quota'; transient?: boolean; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.why = options.why ?? 'failed';
    this.transient = options.transient ?? false;
  }
}
