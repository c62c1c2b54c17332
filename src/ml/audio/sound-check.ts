import { AudioRefused } from './refused.ts';

/** Rejects implausible formats, which hostile headers use to exhaust a decoder's memory. */
export function checkSound({ sampleRate, channels }: { sampleRate?: number; channels?: number }): void {
  if (sampleRate !== undefined && !(sampleRate >= 1000 && sampleRate <= 768_000)) {
    throw new AudioRefused('corrupt', `The recording declares ${sampleRate} samples per second.`);
  }
  if (channels !== undefined && !(channels >= 1 && channels <= 32)) {
    throw new AudioRefused('corrupt', `The recording declares ${channels} channels.`);
  }
}
