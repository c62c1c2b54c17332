import { GREY_SIDE } from '../../shared/picture-features.ts';

/**
 * Low frequencies of a picture, to recognize the same photo after compression, resizing and small crops. The candidates are found
 * by a perceptual hash, the signs of frequencies of the cosine transform (Zauner 2010, "Implementation and Benchmarking of
 * Perceptual Image Hash Functions"). A crop moves the frequencies, so candidates are aligned and compared.
 */
export interface PhotoPattern {
  /** One digit per bit. */
  readonly hash: string;
  /** Weighted cosine coefficients as signed bytes, row by row. */
  readonly pattern: Int8Array;
}

/** Coefficients per axis. */
const FREQUENCIES = 12;
/** Lower sums of both frequencies show the lighting more than the photo. */
const LEAST_FREQUENCY = 3;
/** Least standard deviation in grey levels: flatter pictures resemble each other. */
const LEAST_DEVIATION = 0.5;
/** Photos have little of the high frequencies, which differ most between photos. */
const WEIGHT_EXPONENT = 1.5;
/** Of 138 bits; this bound and the next one are measured: bench/similar.mjs. */
export const MAX_DIFFERENT_BITS = 44;
const LEAST_CORRELATION = 0.8;

const BASIS = Array.from({ length: FREQUENCIES }, (_, k) =>
  Float32Array.from(
    { length: GREY_SIDE },
    (__, x) => Math.sqrt((k === 0 ? 1 : 2) / GREY_SIDE) * Math.cos((Math.PI * k * (2 * x + 1)) / (2 * GREY_SIDE)),
  ),
);

/** Of the grey levels of a picture that is stretched to `GREY_SIDE` squared. Undefined for a picture without structure. */
export function patternOf(grey: Uint8Array): PhotoPattern | undefined {
  const coefficients = Float32Array.from({ length: FREQUENCIES ** 2 }, (_, at) => coefficientOf(grey, at));
  if (Math.hypot(...coefficients) / GREY_SIDE < LEAST_DEVIATION) return undefined;
  const weighted = coefficients.map((value, at) => value * sumOf(at) ** WEIGHT_EXPONENT);
  const most = weighted.reduce((max, value) => Math.max(max, Math.abs(value)), 0);
  const kept = weighted.filter((_, at) => sumOf(at) >= LEAST_FREQUENCY);
  const median = [...kept].sort((a, b) => a - b)[kept.length >> 1]!;
  return {
    hash: Array.from(kept, (value) => (value > median ? '1' : '0')).join(''),
    pattern: Int8Array.from(weighted, (value) => Math.round((127 * value) / most)),
  };
}

const sumOf = (at: number) => Math.floor(at / FREQUENCIES) + (at % FREQUENCIES);

function coefficientOf(grey: Uint8Array, at: number): number {
  if (sumOf(at) < LEAST_FREQUENCY) return 0;
  const [down, across] = [BASIS[Math.floor(at / FREQUENCIES)]!, BASIS[at % FREQUENCIES]!];
  let sum = 0;
  for (let y = 0; y < GREY_SIDE; y++) {
    let row = 0;
    for (let x = 0; x < GREY_SIDE; x++) row += grey[y * GREY_SIDE + x]! * across[x]!;
    sum += row * down[y]!;
  }
  return sum;
}

/** Whether one of the pictures is the other one, or a crop of it. */
export const isSamePhoto = (a: Int8Array, b: Int8Array): boolean => isCropOf(a, b) || isCropOf(b, a);

/** Samples per axis. */
const SIDE = 24;
/** Margins of a crop as shares of the side. */
const FIRST_STEP = 0.04;
const LAST_STEP = 0.004;
const MAX_MARGIN = 0.12;

/** Whether the picture `a` correlates with a crop of `b`: a search of its four margins (Hooke and Jeeves 1961). */
function isCropOf(a: Int8Array, b: Int8Array): boolean {
  const goal = normalized(draw(a, [0, 0, 0, 0]));
  /** More than half of the moves lead to margins that were tried before. */
  const tried = new Map<string, number>();
  function correlation(margins: readonly number[]): number {
    const key = margins.join();
    const known = tried.get(key) ?? dot(goal, normalized(draw(b, margins)));
    tried.set(key, known);
    return known;
  }
  let margins = [0, 0, 0, 0];
  let best = correlation(margins);
  for (let step = FIRST_STEP; step >= LAST_STEP && best < LEAST_CORRELATION; ) {
    let improved = false;
    for (const move of MOVES) {
      const moved = margins.map((margin, i) => Math.min(MAX_MARGIN, Math.max(0, margin + step * move[i]!)));
      const found = correlation(moved);
      if (found <= best) continue;
      [margins, best, improved] = [moved, found, true];
    }
    if (!improved) step /= 2;
  }
  return best >= LEAST_CORRELATION;
}

/** Left, right, top, bottom: each side, and both sides of an axis. */
const MOVES = [
  [1, 0, 0, 0],
  [0, 1, 0, 0],
  [0, 0, 1, 0],
  [0, 0, 0, 1],
  [1, 1, 0, 0],
  [0, 0, 1, 1],
  [1, -1, 0, 0],
  [0, 0, 1, -1],
].flatMap((move) => [move, move.map((each) => -each)]);

/** Grey levels of a crop, sampled from its cosine coefficients. */
function draw(pattern: Int8Array, [left = 0, right = 0, top = 0, bottom = 0]: readonly number[]): Float32Array {
  const across = cosines(left, 1 - right);
  const down = cosines(top, 1 - bottom);
  const rows = new Float32Array(FREQUENCIES * SIDE);
  for (let ky = 0; ky < FREQUENCIES; ky++) {
    for (let kx = 0; kx < FREQUENCIES; kx++) {
      const value = pattern[ky * FREQUENCIES + kx]!;
      for (let x = 0; x < SIDE; x++) rows[ky * SIDE + x]! += value * across[kx * SIDE + x]!;
    }
  }
  const grey = new Float32Array(SIDE * SIDE);
  for (let y = 0; y < SIDE; y++) {
    for (let ky = 0; ky < FREQUENCIES; ky++) {
      const weight = down[ky * SIDE + y]!;
      for (let x = 0; x < SIDE; x++) grey[y * SIDE + x]! += weight * rows[ky * SIDE + x]!;
    }
  }
  return grey;
}

/** Of all frequencies at the samples of the part from `from` to `to`. */
function cosines(from: number, to: number): Float32Array {
  const values = new Float32Array(FREQUENCIES * SIDE);
  for (let x = 0; x < SIDE; x++) {
    const angle = Math.PI * (from + ((to - from) * (x + 0.5)) / SIDE);
    for (let k = 0; k < FREQUENCIES; k++) values[k * SIDE + x] = (k === 0 ? Math.SQRT1_2 : 1) * Math.cos(k * angle);
  }
  return values;
}

function normalized(values: Float32Array): Float32Array {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const centred = values.map((value) => value - mean);
  const length = Math.sqrt(dot(centred, centred));
  return length === 0 ? centred : centred.map((value) => value / length);
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}
