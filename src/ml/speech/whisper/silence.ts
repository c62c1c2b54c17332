import { SAMPLE_RATE } from '../../audio/audio-constants.ts';

export const FRAME_SECONDS = 0.02;

/** Returns a test for quiet 20 ms frames: far below the loud parts, or barely above the background noise. */
export function detectQuietFrames(samples: Float32Array): (frame: number) => boolean {
  const size = FRAME_SECONDS * SAMPLE_RATE;
  const loudness = Array.from({ length: Math.ceil(samples.length / size) }, (_, frame) => {
    const to = Math.min((frame + 1) * size, samples.length);
    let energy = 0;
    for (let i = frame * size; i < to; i++) energy += samples[i]! * samples[i]!;
    return Math.sqrt(energy / (to - frame * size));
  });
  const ranked = loudness.toSorted((a, b) => a - b);
  const percentile = (share: number) => ranked[Math.floor(share * ranked.length)] ?? 0;
  const loudLevel = percentile(0.95);
  const threshold = Math.max(
    QUIET_BELOW_LOUD * loudLevel,
    Math.min(QUIET_ABOVE_NOISE * percentile(0.05), MAX_BELOW_LOUD * loudLevel),
  );
  return (frame) => (loudness[frame] ?? 0) < threshold;
}

// Amplitude ratios: 30 dB below the loud parts; 6 dB above the background noise, but at least 16 dB below the loud
// parts.
const QUIET_BELOW_LOUD = 0.03;
const QUIET_ABOVE_NOISE = 2;
const MAX_BELOW_LOUD = 0.15;
