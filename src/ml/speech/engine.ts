/** What an engine made of one window; times are seconds from the window's beginning. */
export interface Utterance {
  /** ISO 639-1; absent where the engine does not know. */
  readonly language?: string;
  readonly segments: readonly UtteredSegment[];
}

export interface UtteredSegment {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly words?: readonly UtteredWord[];
}

export interface UtteredWord {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** 0..1 */
  readonly confidence?: number;
}

/** An opened engine. It computes on the thread that calls it, one window at a time. */
export interface Engine {
  /** Mono, 16 kHz. `throwIfStopped` is asked now and then, and what it throws is passed on. */
  recognize(
    samples: Float32Array,
    options: { readonly language?: string | undefined; readonly throwIfStopped: () => void },
  ): Promise<Utterance>;
  close(): Promise<void>;
}
