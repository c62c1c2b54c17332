export interface Header {
  readonly duration?: Duration;
  readonly sampleRate?: number;
  readonly channels?: number;
  readonly codec?: 'vorbis' | 'opus' | 'flac' | 'speex';
  readonly skip?: number;
  /** MP4 only: samples declared by the index; for uncompressed audio each PCM sample counts. */
  readonly samples?: number;
  readonly index?: { readonly at: number; readonly bytes: number };
}

/** `isExact`: written by the encoder, so less audio means that a part is missing. Otherwise an estimate. */
export interface Duration {
  readonly seconds: number;
  readonly counted: boolean;
}

/** Whether audio is missing. Tolerates one second or 2 % of the declared duration. */
export function isCutOff(seconds: number, declared: number): boolean {
  return declared - seconds > Math.max(1, declared / 50);
}
