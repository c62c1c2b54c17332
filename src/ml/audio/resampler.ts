import { SAMPLE_RATE } from './sound.ts';

/** Turns a stream of samples into one of 16 000 a second. */
export interface Resampler {
  /** What can be said of the sound after these samples; the last few wait for what follows them. */
  push(samples: Float32Array): Float32Array;
  /** What is left once nothing follows. */
  end(): Float32Array;
}

/**
 * By a windowed sinc, one for each place between two samples at which one of ours can lie (a polyphase filter: Crochiere
 * and Rabiner, Multirate Digital Signal Processing, 1983, ch. 3). What it passes is flat up to 6.9 kHz; from 8 kHz on, or
 * half the old rate where that is less, everything is at least 70 dB down and cannot come back as another tone. It adds no
 * delay: a sample's time is the same before and after.
 */
export function createResampler(rate: number): Resampler {
  const ratio = rate / SAMPLE_RATE;
  const divisor = greatestCommonDivisor(rate, SAMPLE_RATE);
  // For rates that have nothing in common the nearest of so many places is exact to a thousandth of a sample.
  const phases = Math.min(SAMPLE_RATE / divisor, MOST_PHASES);
  const half = Math.ceil(LOBES * Math.max(1, ratio));
  const filters = Array.from({ length: phases + 1 }, (_, phase) => filterAt(phase / phases, half, Math.max(1, ratio)));

  // As if silence had come before: then the first output needs nothing special.
  let held = new Float32Array(half);
  /** The place of `held[0]` among all samples, and how many were given out. */
  let offset = -half;
  let given = 0;

  const take = (until: number): Float32Array => {
    const count = Math.max(0, Math.ceil(until / ratio) - given);
    const out = new Float32Array(count);
    for (let i = 0; i < count; i++) {
      const place = ((given + i) * rate) / SAMPLE_RATE;
      const whole = Math.floor(place);
      const filter = filters[Math.round((place - whole) * phases)]!;
      const from = whole - half + 1 - offset;
      let sum = 0;
      for (let tap = 0; tap < filter.length; tap++) sum += filter[tap]! * held[from + tap]!;
      out[i] = sum;
    }
    given += count;
    const needless = Math.min(held.length, Math.floor((given * rate) / SAMPLE_RATE) - half + 1 - offset);
    if (needless > 0) {
      held = held.slice(needless);
      offset += needless;
    }
    return out;
  };
  const hold = (samples: Float32Array) => {
    const longer = new Float32Array(held.length + samples.length);
    longer.set(held);
    longer.set(samples, held.length);
    held = longer;
  };

  return {
    push(samples) {
      hold(samples);
      // The sample at `place` is mixed of those up to `half` after it.
      return take(offset + held.length - half);
    },
    end() {
      const length = offset + held.length;
      hold(new Float32Array(half + 1));
      return take(length);
    },
  };
}

const LOBES = 32;
const MOST_PHASES = 1024;
const KAISER_BETA = 7;
/** Of half the lower rate: the filter falls from here on. */
const CUTOFF = 0.94;

/** The weights of 2·half samples around a place that lies `fraction` after the half-th of them; they sum to 1. */
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

/** The modified Bessel function of the first kind, order zero, by its series. */
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
