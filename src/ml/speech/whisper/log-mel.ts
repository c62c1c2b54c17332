import { SAMPLE_RATE } from '../../audio/audio-constants.ts';
import { createFft } from './fft.ts';

/** Whisper's fixed input length; shorter input is padded with silence. */
export const WINDOW_SECONDS = 30;
export const FRAMES = 3000;

const WINDOW = 400;
const HOP = 160;
const FREQUENCIES = WINDOW / 2 + 1;

/**
 * Whisper's log-Mel spectrogram (Radford et al. 2022, arXiv:2212.04356 §2.2), [bins, frames] row-major, about -1..1: 25
 * ms windows every 10 ms, from mono 16 kHz samples of at most 30 s. The first `frames` of 30 s with padding.
 */
export function logMel(samples: Float32Array, bins: number, frames = FRAMES): Float32Array {
  const filters = melFilters(bins);
  const logs = new Float32Array(bins * frames).fill(FLOOR);
  let highest = FLOOR;
  eachSpectrum(samples, frames, (power, frame) => {
    for (let bin = 0; bin < bins; bin++) {
      const { from, weights } = filters[bin]!;
      let energy = 0;
      for (let i = 0; i < weights.length; i++) energy += weights[i]! * power[from + i]!;
      const log = Math.log10(Math.max(energy, 1e-10));
      logs[bin * frames + frame] = log;
      if (log > highest) highest = log;
    }
  });
  for (let i = 0; i < logs.length; i++) logs[i] = (Math.max(logs[i]!, highest - 8) + 4) / 4;
  return logs;
}

const FLOOR = -10;

function eachSpectrum(samples: Float32Array, frames: number, take: (power: Float64Array, frame: number) => void): void {
  const half = WINDOW / 2;
  const count = Math.min(frames, Math.ceil((samples.length + half) / HOP));
  // Mirrored before the start, silent after the end.
  const padded = new Float64Array((count + 1) * HOP + WINDOW);
  for (let i = 0; i < half; i++) padded[i] = samples[half - i] ?? 0;
  padded.set(samples.subarray(0, padded.length - half), half);
  const hann = Float64Array.from({ length: WINDOW }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / WINDOW));
  const transform = createFft(WINDOW);
  const [re, im] = [new Float64Array(WINDOW), new Float64Array(WINDOW)];
  const [even, odd] = [new Float64Array(FREQUENCIES), new Float64Array(FREQUENCIES)];
  for (let frame = 0; frame < count; frame += 2) {
    // Two real windows per complex transform: one as the imaginary part.
    for (let i = 0; i < WINDOW; i++) {
      re[i] = hann[i]! * padded[frame * HOP + i]!;
      im[i] = hann[i]! * padded[(frame + 1) * HOP + i]!;
    }
    transform(re, im);
    for (let f = 0; f < FREQUENCIES; f++) {
      const mirror = f === 0 ? 0 : WINDOW - f;
      even[f] = ((re[f]! + re[mirror]!) ** 2 + (im[f]! - im[mirror]!) ** 2) / 4;
      odd[f] = ((re[f]! - re[mirror]!) ** 2 + (im[f]! + im[mirror]!) ** 2) / 4;
    }
    take(even, frame);
    if (frame + 1 < frames) take(odd, frame + 1);
  }
}

interface Filter {
  readonly from: number;
  readonly weights: Float64Array;
}

const filterCache = new Map<number, Filter[]>();

/** Equal-area triangles on Slaney's Mel scale (Auditory Toolbox, 1998), 0 to 8 kHz. */
function melFilters(bins: number): Filter[] {
  const cached = filterCache.get(bins);
  if (cached) return cached;
  const top = toMel(SAMPLE_RATE / 2);
  const corners = Array.from({ length: bins + 2 }, (_, i) => toHertz((top * i) / (bins + 1)));
  const filters = Array.from({ length: bins }, (_, bin): Filter => {
    const [low, middle, high] = [corners[bin]!, corners[bin + 1]!, corners[bin + 2]!];
    const all = Array.from({ length: FREQUENCIES }, (_, f) => {
      const hertz = (f * SAMPLE_RATE) / WINDOW;
      const height = Math.min((hertz - low) / (middle - low), (high - hertz) / (high - middle));
      return Math.max(0, height) * (2 / (high - low));
    });
    const from = Math.max(
      0,
      all.findIndex((weight) => weight > 0),
    );
    const to = all.findLastIndex((weight) => weight > 0);
    return { from, weights: Float64Array.from(all.slice(from, to + 1)) };
  });
  filterCache.set(bins, filters);
  return filters;
}

const LINEAR_HERTZ = 200 / 3;
const KNEE = 1000 / LINEAR_HERTZ;
const STEP = Math.log(6.4) / 27;
const toMel = (hertz: number) => (hertz < 1000 ? hertz / LINEAR_HERTZ : KNEE + Math.log(hertz / 1000) / STEP);
const toHertz = (mel: number) => (mel < KNEE ? mel * LINEAR_HERTZ : 1000 * Math.exp(STEP * (mel - KNEE)));
