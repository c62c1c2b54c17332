/** A transcribed segment; times in seconds from the start of the window. */
export interface UtteredSegment {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** ISO 639-1; absent when unknown. */
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

/** A loaded engine. It runs on the calling thread, one window at a time. */
export interface Engine {
  /**
   * Returns segments in order, none without speech. Samples are mono 16 kHz. Calls `throwIfStopped` regularly and
   * passes its error on.
   */
  recognize(
    samples: Float32Array,
    options: { readonly language?: string | undefined; readonly throwIfStopped: () => void },
  ): Promise<readonly UtteredSegment[]>;
  close(): Promise<void>;
}
