/** Where the files of an engine lie, checked, and what runs them: all that its thread needs to open it. */
export type EngineFiles = WhisperFiles | SherpaFiles;

/** A Whisper as it is exported for transformers.js, run by onnxruntime with our own decoder. Names are in `folder`. */
export interface WhisperFiles {
  readonly runs: 'whisper';
  readonly folder: string;
  readonly encoder: string;
  readonly decoder: string;
}

/** Whatever sherpa-onnx knows. All are full paths. */
export type SherpaFiles = {
  readonly runs: 'sherpa';
  readonly tokens: string;
  /** ISO 639-1, of a model that understands no other. */
  readonly language?: string;
} & (
  | { readonly kind: 'moonshine'; readonly encoder: string; readonly mergedDecoder: string }
  | { readonly kind: 'transducer'; readonly encoder: string; readonly decoder: string; readonly joiner: string }
);
