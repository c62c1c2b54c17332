/** Types for the part of sherpa-onnx-node in use; the package has only JSDoc. */
declare module 'sherpa-onnx-node' {
  export interface OfflineStream {
    acceptWaveform(sound: { samples: Float32Array; sampleRate: number }): void;
  }
  export interface OfflineResult {
    readonly text: string;
    readonly lang: string;
    /** Start and duration of each token in seconds; empty if the model provides none. */
    readonly tokens: readonly string[];
    readonly timestamps: readonly number[];
    readonly durations: readonly number[];
    /** Natural logarithms; empty if the model provides none. */
    readonly ys_log_probs: readonly number[];
  }
  export interface OfflineConfig {
    readonly modelConfig: {
      readonly moonshine?: { readonly encoder: string; readonly mergedDecoder: string };
      readonly transducer?: { readonly encoder: string; readonly decoder: string; readonly joiner: string };
      readonly nemoCtc?: { readonly model: string };
      readonly zipformerCtc?: { readonly model: string };
      readonly tokens: string;
      readonly modelType?: string | undefined;
      readonly numThreads: number;
      readonly provider: 'cpu';
      readonly debug: 0;
    };
  }
  export class OfflineRecognizer {
    /** Exits the process, without an exception, when a file is missing or invalid. */
    constructor(config: OfflineConfig);
    createStream(): OfflineStream;
    decode(stream: OfflineStream): void;
    getResult(stream: OfflineStream): OfflineResult;
  }
  const sherpa: { readonly OfflineRecognizer: typeof OfflineRecognizer };
  export default sherpa;
}
