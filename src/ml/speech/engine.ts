/** What was said in a part of a window; times are seconds from the window's beginning. */
export interface UtteredSegment {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** ISO 639-1; absent where the engine does not know. */
  readonly language?: string;
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
  /** Segments in order, none where nobody speaks. Samples are mono, 16 kHz. `throwIfStopped` is asked now and then, and what it throws is passed on. */
  recognize(
    samples: Float32Array,
    options: { readonly language?: string | undefined; readonly throwIfStopped: () => void },
  ): Promise<readonly UtteredSegment[]>;
  close(): Promise<void>;
}
