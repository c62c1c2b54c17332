import type { Segment } from '../../ml/speech/recognizer.ts';

/** The job as `POST /transcribe/audio_url` writes it down. */
export interface TranscribeInput {
  readonly url: string;
  /** ISO 639-1; absent: the engine finds out. */
  readonly language?: string;
  /** The JSON text that came. */
  readonly metadata?: string;
}

/** What is recorded for a finished recording, in the words of the wire. */
export interface Recorded {
  readonly transcription: string;
  /** The public name of what produced the text. */
  readonly service: string;
  /** The language of most of what was said; absent where nothing was, or the engine does not tell. */
  readonly language?: string;
  readonly duration_seconds: number;
  readonly segments: readonly RecordedSegment[];
  /** Absent where the engine gives no word times. */
  readonly words?: readonly TimedWord[];
}

/** Seconds from the beginning of the recording, to the millisecond. */
export interface RecordedSegment {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export interface TimedWord {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly confidence?: number;
}

/** How far a recording is, for the worker that takes it over. */
export interface Checkpoint {
  /** The recognizer that has worked on it: what another one has heard is nothing to it. */
  readonly provider: string;
  /** Heard up to this second. */
  readonly until: number;
  readonly segments: readonly Segment[];
}
