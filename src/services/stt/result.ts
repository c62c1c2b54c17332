import type { VocabularyTerm } from '../../ml/speech/recognizer.ts';

export interface TranscribeInput {
  readonly url: string;
  readonly file_name?: string;
  /** ISO 639-1; absent: detected. */
  readonly language?: string;
  /** Precedes the recording in the context of a remote provider. */
  readonly prompt?: string;
  /** 0 to 1, for a remote provider. */
  readonly temperature?: number;
  /** Words that the model prefers. */
  readonly vocabulary?: readonly VocabularyTerm[];
  /** Into English. */
  readonly translate?: boolean;
  /** The client's JSON text. */
  readonly metadata?: string;
}

export interface Recorded {
  readonly transcription: string;
  readonly service: string;
  /** The dominant language; absent without speech or if unknown. */
  readonly language?: string;
  readonly duration_seconds: number;
  readonly segments: readonly RecordedSegment[];
  /** Absent if the provider returns no word times. */
  readonly words?: readonly TimedWord[];
  readonly warnings?: readonly 'SPEECH_NOT_RECOGNIZED'[];
  /** Where the warning applies. */
  readonly unrecognized?: readonly { readonly start: number; readonly end: number }[];
}

/** Seconds from the start of the recording, to the millisecond. */
export interface RecordedSegment {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** Of a correction: the indices of the words that a user has confirmed, in the `words` of the original and in ascending order; absent if there are none. */
  readonly confirmed?: readonly number[];
}

export interface TimedWord {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly confidence?: number;
}

/** Published with the worker's heartbeat. */
export interface WorkerInfo {
  /** Of the first provider. */
  readonly model: string;
  readonly providers: readonly { readonly name: string; readonly model: string }[];
}
