import { AudioRefused } from './refused.ts';

/** Refuses what no microphone ever recorded: such a header was made to cost its reader memory. */
export function checkSound({ sampleRate, channels }: { sampleRate?: number; channels?: number }): void {
  if (sampleRate !== undefined && !(sampleRate >= 1000 && sampleRate <= 768_000)) {
    throw new AudioRefused('corrupt', `The recording claims ${sampleRate} samples a second.`);
  }
  if (channels !== undefined && !(channels >= 1 && channels <= 32)) {
    throw new AudioRefused('corrupt', `The recording claims ${channels} channels.`);
  }
}
