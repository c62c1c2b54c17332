import { SAMPLE_RATE } from './log-mel.ts';

/** The step of Whisper's encoder, and of all times that come from it. */
export const FRAME_SECONDS = 0.02;

/**
 * Tells of each frame of 20 ms whether it is quiet, for this sound: far below its loud parts, where nobody speaks, or
 * hardly above what is always there.
 */
export function quiet(samples: Float32Array): (frame: number) => boolean {
  const size = FRAME_SECONDS * SAMPLE_RATE;
  const loudness = Array.from({ length: Math.ceil(samples.length / size) }, (_, frame) => {
    const part = samples.subarray(frame * size, (frame + 1) * size);
    return Math.sqrt(part.reduce((sum, sample) => sum + sample ** 2, 0) / part.length);
  });
  const ranked = loudness.toSorted((a, b) => a - b);
  const rank = (share: number) => ranked[Math.floor(share * ranked.length)] ?? 0;
  const loud = rank(0.95);
  const bound = Math.max(FAR_BELOW * loud, Math.min(HARDLY_ABOVE * rank(0.05), NEVER_ABOVE * loud));
  return (frame) => (loudness[frame] ?? 0) < bound;
}

// Of amplitudes: 30 dB below the loud parts; 6 dB above the constant noise, but not within 16 dB of the loud parts.
const FAR_BELOW = 0.03;
const HARDLY_ABOVE = 2;
const NEVER_ABOVE = 0.15;
