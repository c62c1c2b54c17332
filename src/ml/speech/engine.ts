import type { Segment } from './recognizer.ts';

export interface EngineOptions {
  readonly language?: string | undefined;
  readonly translate?: boolean | undefined;
  /** Words that are preferred, and how they may be spoken; only Whisper uses them. */
  readonly terms?: readonly string[] | undefined;
  readonly throwIfStopped: () => void;
}

/** A loaded engine. It runs on the calling thread, one window at a time. */
export interface Engine {
  /**
   * Returns segments in order, none without speech, with times in the window. Samples are mono 16 kHz. Calls `throwIfStopped` regularly and
   * passes its error on.
   */
  recognize(samples: Float32Array, options: EngineOptions): Promise<readonly Segment[]>;
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
  /** Of sherpa-onnx, which otherwise opens the encoder a second time to detect it. */
  readonly modelType?: 'nemo_transducer' | 'transducer' | 'nemo_ctc' | 'zipformer2_ctc';
  readonly model:
    | { readonly moonshine: { readonly encoder: string; readonly mergedDecoder: string } }
    | { readonly transducer: { readonly encoder: string; readonly decoder: string; readonly joiner: string } }
    | { readonly nemoCtc: { readonly model: string } }
    | { readonly zipformerCtc: { readonly model: string } };
}
