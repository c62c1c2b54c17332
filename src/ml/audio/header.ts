import { AudioError } from './audio-error.ts';

export interface Header {
  readonly duration?: Duration;
  readonly sampleRate?: number;
  readonly channels?: number;
  readonly codec?: 'vorbis' | 'opus' | 'flac' | 'speex';
  readonly skip?: number;
  /** Uncompressed floating-point samples, which can be infinite or NaN. */
  readonly isFloat?: boolean;
  /** MP4 only: samples declared by the index; for uncompressed audio each PCM sample counts. */
  readonly samples?: number;
  readonly index?: { readonly at: number; readonly bytes: number };
}

/** `isExact`: written by the encoder, so less audio means that a part is missing. Otherwise an estimate. */
export interface Duration {
  readonly seconds: number;
  readonly isExact: boolean;
}

/** Whether audio is missing. Tolerates one second or 2 % of the declared duration. */
export function isTruncated(seconds: number, declared: number): boolean {
  return declared - seconds > Math.max(1, declared / 50);
}

/** Rejects implausible formats, which hostile headers use to exhaust a decoder's memory. */
export function validateAudioFormat({ sampleRate, channels }: { sampleRate?: number; channels?: number }): void {
  if (sampleRate !== undefined && !(sampleRate >= 1000 && sampleRate <= 768_000)) {
    throw new AudioError('corrupt', `The recording declares ${sampleRate} samples per second.`);
  }
  if (channels !== undefined && !(channels >= 1 && channels <= 32)) {
    throw new AudioError('corrupt', `The recording declares ${channels} channels.`);
  }
}
