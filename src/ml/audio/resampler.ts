import { SAMPLE_RATE } from './audio-constants.ts';
import { createSampleBuffer } from './sample-buffer.ts';

export type Resampler = ReturnType<typeof createResampler>;

/**
 * Windowed-sinc polyphase filter (Crochiere and Rabiner, Multirate Digital Signal Processing, 1983, ch. 3). The
 * passband is flat to 6.9 kHz; from 8 kHz, or half the input rate if lower, attenuation is at least 70 dB. No delay:
 * output times equal input times.
 */
export function createResampler(rate: number) {
  const ratio = rate / SAMPLE_RATE;
  const divisor = greatestCommonDivisor(rate, SAMPLE_RATE);
  // For rates without a common divisor, the nearest phase is exact to a thousandth of a sample.
  const phases = Math.min(SAMPLE_RATE / divisor, MAX_PHASES);
  const half = Math.ceil(LOBES * Math.max(1, ratio));
  const filters = Array.from({ length: phases + 1 }, (_, phase) => filterAt(phase / phases, half, Math.max(1, ratio)));

  // Starts with silence, so that the first output needs no special case.
  const buffer = createSampleBuffer();
  buffer.append(new Float32Array(half));
  let offset = -half;
  let produced = 0;

  const produce = (until: number): Float32Array => {
    const count = Math.max(0, Math.ceil(until / ratio) - produced);
    const out = new Float32Array(count);
    const held = buffer.copy(0, buffer.length());
    for (let i = 0; i < count; i++) {
      const place = ((produced + i) * rate) / SAMPLE_RATE;
      const whole = Math.floor(place);
      const filter = filters[Math.round((place - whole) * phases)]!;
      const from = whole - half + 1 - offset;
      let sum = 0;
      for (let tap = 0; tap < filter.length; tap++) sum += filter[tap]! * held[from + tap]!;
      out[i] = sum;
    }
    produced += count;
    const consumed = Math.min(held.length, Math.floor((produced * rate) / SAMPLE_RATE) - half + 1 - offset);
    if (consumed > 0) {
      buffer.discard(consumed);
      offset += consumed;
    }
    return out;
  };

  return {
    /** Returns the output available so far; the last samples wait for their successors. */
    push(samples: Float32Array): Float32Array {
      buffer.append(samples);
      return produce(offset + buffer.length() - half);
    },
    end(): Float32Array {
      const length = offset + buffer.length();
      buffer.append(new Float32Array(half + 1));
      return produce(length);
    },
  };
}

const LOBES = 32;
const MAX_PHASES = 1024;
const KAISER_BETA = 7;
/** Start of the roll-off as a share of the lower Nyquist frequency. */
const CUTOFF = 0.94;

/** Taps for a position `fraction` after the half-th sample; they sum to 1. */
function filterAt(fraction: number, half: number, stretch: number): Float64Array {
  const taps = new Float64Array(2 * half);
  for (let tap = 0; tap < taps.length; tap++) {
    const distance = tap - (half - 1) - fraction;
    taps[tap] = sinc((distance * CUTOFF) / stretch) * kaiser(distance / half);
  }
  const sum = taps.reduce((a, b) => a + b, 0);
  return taps.map((tap) => tap / sum);
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
}

function kaiser(x: number): number {
  return Math.abs(x) >= 1 ? 0 : bessel(KAISER_BETA * Math.sqrt(1 - x * x)) / bessel(KAISER_BETA);
}

/** Modified Bessel function of the first kind, order zero (power series). */
function bessel(x: number): number {
  let sum = 1;
  let term = 1;
  for (let k = 1; term > sum * 1e-12; k++) {
    term *= (x / 2 / k) ** 2;
    sum += term;
  }
  return sum;
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
