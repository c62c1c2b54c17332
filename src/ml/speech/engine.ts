export interface UtteredSegment {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly language?: string;
  readonly words?: readonly UtteredWord[];
}

export interface UtteredWord {
  readonly text: string;
  readonly start: number;
  readonly end: number;
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
