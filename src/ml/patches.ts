import { dot } from './familiarity.ts';

/**
 * Patches of photos without defects (PatchCore, Roth et al. 2022, arXiv:2106.08265): a patch of another photo deviates by
 * its distance from the nearest one. A patch is one cell of the network's map.
 */
export interface PatchMemory {
  /** [C] Mean of each channel over the patches. */
  readonly mean: Float32Array;
  /** [C] Divides the centred channels. */
  readonly scale: Float32Array;
  /** [M, C], row-major, standardized. */
  readonly patches: Float32Array;
}

/** Mean and standard deviation of distances on photos that were held out. */
export interface Spread {
  readonly mean: number;
  readonly deviation: number;
}

export interface AnomalyDetector {
  readonly memory: PatchMemory;
  /** Of the score of a photo. */
  readonly photo: Spread;
  /** Of the distance of a patch. */
  readonly patch: Spread;
}

/** Cells [N, C] of a map [C, N]. */
export function cellsOf(map: Float32Array, channels: number): Float32Array {
  const count = map.length / channels;
  const cells = new Float32Array(map.length);
  for (let c = 0; c < channels; c++) for (let n = 0; n < count; n++) cells[n * channels + c] = map[c * count + n]!;
  return cells;
}

/** The distance of each cell [N, C] from the nearest patch, divided by √C. */
export function patchDistances({ mean, scale, patches }: PatchMemory, cells: Float32Array): Float64Array {
  const channels = mean.length;
  const squares = squaresOf(patches, channels);
  const standard = cells.map((value, i) => (value - mean[i % channels]!) / scale[i % channels]!);
  return Float64Array.from({ length: cells.length / channels }, (_, n) => {
    const cell = standard.subarray(n * channels, (n + 1) * channels);
    let nearest = Number.POSITIVE_INFINITY;
    for (let m = 0; m < squares.length; m++) {
      nearest = Math.min(nearest, squares[m]! - 2 * dot(patches, m * channels, cell));
    }
    return Math.sqrt(Math.max(0, nearest + dot(cell, 0, cell)) / channels);
  });
}

/** Squared lengths of the rows. */
export const squaresOf = (rows: Float32Array, columns: number): Float64Array =>
  Float64Array.from({ length: rows.length / columns }, (_, m) =>
    dot(rows, m * columns, rows.subarray(m * columns, (m + 1) * columns)),
  );

/** The score of a photo: the mean of the largest quarter of its distances. */
export function photoScore(distances: Float64Array): number {
  const largest = distances.toSorted().slice(-Math.max(1, distances.length >> 2));
  return largest.reduce((sum, distance) => sum + distance, 0) / largest.length;
}

/** Standard deviations between the mean and the bound, which 1 % of normally distributed scores exceed. */
const BOUND_DEVIATIONS = 2.33;

/** 0.5 at the bound; a logistic function of the score. */
export function deviationProbability({ mean, deviation }: Spread, score: number): number {
  return 1 / (1 + Math.exp(-2 * ((score - mean) / deviation - BOUND_DEVIATIONS)));
}

/** Bytes 0..255: distances from the mean of sound patches to six standard deviations above it. */
export const deviationMap = ({ mean, deviation }: Spread, distances: Float64Array): Uint8Array =>
  Uint8Array.from(distances, (distance) => Math.max(0, Math.min(1, (distance - mean) / (6 * deviation))) * 255);
