export interface EngineSegment {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly language?: string;
  readonly words?: readonly EngineWord[];
}

export interface EngineWord {
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
  ): Promise<readonly EngineSegment[]>;
  close(): Promise<void>;
}

/** Verified file locations and the runtime of an engine. */
export type EngineFiles = WhisperFiles | SherpaFiles;

/** A Whisper export for transformers.js, run by onnxruntime with our decoder. File names are relative to `folder`. */
export interface WhisperFiles {
  readonly runs: 'whisper';
  readonly folder: string;
  readonly encoder: string;
  readonly decoder: string;
}

export interface SherpaFiles {
  readonly runs: 'sherpa';
  readonly tokens: string;
  readonly language?: string;
  readonly model:
    | { readonly moonshine: { readonly encoder: string; readonly mergedDecoder: string } }
    | { readonly transducer: { readonly encoder: string; readonly decoder: string; readonly joiner: string } };
}
