import { dot } from './familiarity.ts';
import { pickRows } from './fit-familiarity.ts';
import {
  type AnomalyDetector,
  type PatchMemory,
  patchDistances,
  photoScore,
  type Spread,
  squaresOf,
} from './patches.ts';

/** Share of the patches that are kept, and their largest number: it bounds the time per photo. */
const KEPT_SHARE = 0.25;
const MAX_PATCHES = 400;
const FOLDS = 5;

/** Fits the detector to the cells [N, C] of each photo without defects; held-out photos calibrate it. */
export function fitPatches(photos: readonly Float32Array[], channels: number): AnomalyDetector {
  const heldOut = Array.from({ length: FOLDS }, (_, fold) => {
    const memory = remember(
      photos.filter((_, i) => i % FOLDS !== fold),
      channels,
    );
    return photos.filter((_, i) => i % FOLDS === fold).map((cells) => patchDistances(memory, cells));
  }).flat();
  return {
    memory: remember(photos, channels),
    photo: spreadOf(heldOut.map(photoScore)),
    patch: spreadOf(heldOut.flatMap((distances) => [...distances])),
  };
}

function remember(photos: readonly Float32Array[], channels: number): PatchMemory {
  const cells = new Float32Array(photos.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const photo of photos) {
    cells.set(photo, at);
    at += photo.length;
  }
  const count = cells.length / channels;
  const mean = new Float64Array(channels);
  const squares = new Float64Array(channels);
  for (let i = 0; i < cells.length; i++) mean[i % channels]! += cells[i]! / count;
  for (let i = 0; i < cells.length; i++) squares[i % channels]! += (cells[i]! - mean[i % channels]!) ** 2 / count;
  const deviations = squares.map(Math.sqrt);
  // Near-constant channels must not be amplified to noise.
  const floor = (0.1 * deviations.reduce((a, b) => a + b, 0)) / channels + 1e-6;
  const scale = Float32Array.from(deviations, (deviation) => deviation + floor);
  const standard = cells.map((value, i) => (value - mean[i % channels]!) / scale[i % channels]!);
  const kept = coreset(standard, channels, Math.min(MAX_PATCHES, Math.ceil(count * KEPT_SHARE)));
  return { mean: Float32Array.from(mean), scale, patches: pickRows(standard, channels, kept) };
}

/** Greedy k-centre selection: each chosen row is the farthest from those chosen before. */
function coreset(rows: Float32Array, columns: number, size: number): number[] {
  const squares = squaresOf(rows, columns);
  const nearest = new Float64Array(squares.length).fill(Number.POSITIVE_INFINITY);
  const chosen = [0];
  while (chosen.length < size) {
    const last = chosen.at(-1)!;
    const row = rows.subarray(last * columns, (last + 1) * columns);
    let farthest = 0;
    for (let n = 0; n < squares.length; n++) {
      const distance = squares[n]! + squares[last]! - 2 * dot(rows, n * columns, row);
      if (distance < nearest[n]!) nearest[n] = distance;
      if (nearest[n]! > nearest[farthest]!) farthest = n;
    }
    chosen.push(farthest);
  }
  return chosen;
}

function spreadOf(values: readonly number[]): Spread {
  const mean = values.reduce((a, b) => a + b, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
  return { mean, deviation: Math.sqrt(variance) + 1e-3 };
}
