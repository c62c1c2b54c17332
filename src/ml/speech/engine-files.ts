/** Verified file locations and the runtime of an engine. */
export type EngineFiles = WhisperFiles | SherpaFiles;

/** A Whisper export for transformers.js, run by onnxruntime with our decoder. File names are relative to `folder`. */
export interface WhisperFiles {
  readonly runs: 'whisper';
  readonly folder: string;
  readonly encoder: string;
  readonly decoder: string;
}

export type SherpaFiles = {
  readonly runs: 'sherpa';
  readonly tokens: string;
  readonly language?: string;
} & (
  | { readonly kind: 'moonshine'; readonly encoder: string; readonly mergedDecoder: string }
  | { readonly kind: 'transducer'; readonly encoder: string; readonly decoder: string; readonly joiner: string }
);
