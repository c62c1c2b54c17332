/** What we use of sherpa-onnx-node, which comes with its types in comments only. */
declare module 'sherpa-onnx-node' {
  export interface OfflineStream {
    acceptWaveform(sound: { samples: Float32Array; sampleRate: number }): void;
  }
  export interface OfflineResult {
    readonly text: string;
    readonly lang: string;
    /** Seconds at which each token began, and how long it took; empty where the model does not say. */
    readonly tokens: readonly string[];
    readonly timestamps: readonly number[];
    readonly durations: readonly number[];
    /** Natural logarithms; empty where the model does not say. */
    readonly ys_log_probs: readonly number[];
  }
  export interface OfflineConfig {
    readonly modelConfig: {
      readonly moonshine?: { readonly encoder: string; readonly mergedDecoder: string };
      readonly transducer?: { readonly encoder: string; readonly decoder: string; readonly joiner: string };
      readonly tokens: string;
      readonly modelType?: string;
      readonly numThreads: number;
      readonly provider: 'cpu';
      readonly debug: 0;
    };
  }
  export class OfflineRecognizer {
    /** Ends the process, not with an exception, when a file is absent or not what it should be. */
    constructor(config: OfflineConfig);
    createStream(): OfflineStream;
    decode(stream: OfflineStream): void;
    getResult(stream: OfflineStream): OfflineResult;
  }
  const sherpa: { readonly OfflineRecognizer: typeof OfflineRecognizer };
  export default sherpa;
}
