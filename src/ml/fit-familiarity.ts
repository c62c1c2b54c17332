import { createRandom } from '../base/random.ts';
import { distanceOf, dot, type Familiarity, type FeatureStatistics } from './familiarity.ts';

/** More components do not separate left-out defect classes better (decision 38). */
const MAX_COMPONENTS = 64;
const EXTRA_DIRECTIONS = 8;
const ROUNDS = 5;
/** Larger sets are thinned out evenly: 64 components need no more. */
const MAX_ROWS = 2500;

/**
 * Fits the statistics to features [N, D] by randomized subspace iteration (Halko, Martinsson and Tropp 2011): the
 * covariance of 2048 features would take minutes.
 */
export function fitStatistics(
  all: Float32Array,
  dimensions: number,
  maxComponents = MAX_COMPONENTS,
): FeatureStatistics {
  const count = Math.min(MAX_ROWS, all.length / dimensions);
  const spacing = all.length / dimensions / count;
  const rows = Array.from({ length: count }, (_, n) => Math.floor(n * spacing));
  const features = pickRows(all, dimensions, rows);
  const { mean, scale, points } = standardize(features, dimensions);
  const components = Math.max(1, Math.min(maxComponents, dimensions - 1, count >> 2));
  const directions = Math.min(dimensions, components + EXTRA_DIRECTIONS);
  const random = createRandom(1);
  let basis = Float32Array.from({ length: directions * dimensions }, () => random() - 0.5);
  orthonormalize(basis, dimensions);
  let variances = new Float64Array(directions);
  for (let round = 0; round < ROUNDS; round++) {
    const next = new Float32Array(basis.length);
    variances = new Float64Array(directions);
    for (let n = 0; n < count; n++) {
      for (let k = 0; k < directions; k++) {
        const along = dot(points, n * dimensions, basis.subarray(k * dimensions, (k + 1) * dimensions));
        variances[k]! += (along * along) / count;
        for (let d = 0, at = n * dimensions, to = k * dimensions; d < dimensions; d++, at++, to++) {
          next[to]! += along * points[at]!;
        }
      }
    }
    if (round === ROUNDS - 1) break;
    orthonormalize(next, dimensions);
    basis = next;
  }
  let total = 0;
  for (const value of points) total += (value * value) / count;
  const floor = (1e-3 * total) / dimensions + 1e-9;
  const kept = variances.slice(0, components);
  const outside = total - kept.reduce((sum, variance) => sum + variance, 0);
  return {
    mean,
    scale,
    components: basis.slice(0, components * dimensions),
    variances: Float32Array.from(kept, (variance) => Math.max(variance, floor)),
    noise: Math.max(outside / Math.max(1, dimensions - components), floor),
  };
}

function standardize(features: Float32Array, dimensions: number) {
  const count = features.length / dimensions;
  const mean = new Float64Array(dimensions);
  const squares = new Float64Array(dimensions);
  for (let i = 0; i < features.length; i++) mean[i % dimensions]! += features[i]! / count;
  for (let i = 0; i < features.length; i++) squares[i % dimensions]! += (features[i]! - mean[i % dimensions]!) ** 2;
  const deviations = squares.map((sum) => Math.sqrt(sum / count));
  // Near-constant features must not be amplified to noise.
  const floor = 0.05 * (deviations.reduce((a, b) => a + b, 0) / dimensions) + 1e-6;
  const scale = Float32Array.from(deviations, (deviation) => deviation + floor);
  const points = features.map((value, i) => (value - mean[i % dimensions]!) / scale[i % dimensions]!);
  return { mean: Float32Array.from(mean), scale, points };
}

/** Modified Gram–Schmidt, in place, twice for accuracy. */
function orthonormalize(rows: Float32Array, dimensions: number): void {
  const count = rows.length / dimensions;
  for (let k = 0; k < count; k++) {
    const row = rows.subarray(k * dimensions, (k + 1) * dimensions);
    for (let pass = 0; pass < 2; pass++) {
      for (let j = 0; j < k; j++) {
        const along = dot(rows, j * dimensions, row);
        for (let d = 0; d < dimensions; d++) row[d]! -= along * rows[j * dimensions + d]!;
      }
    }
    const length = Math.sqrt(dot(rows, k * dimensions, row));
    // Directions without variance stay zero.
    for (let d = 0; d < dimensions; d++) row[d] = length > 1e-12 ? row[d]! / length : 0;
  }
}

/** Fewer distances cannot calibrate a bound of 1 %. */
const MIN_VALIDATION = 100;
const FOLDS = 5;

/**
 * Fits the statistics to the rows `train` of features [N, D], and measures the distances of the rows `val`. With few
 * validation photos the distances come from five-fold cross-validation over both. `groupOf` names photos of one object.
 */
export function fitFamiliarity(
  features: Float32Array,
  dimensions: number,
  { train, val, groupOf }: { train: readonly number[]; val: readonly number[]; groupOf: (row: number) => string },
): Familiarity {
  const fitRows = (rows: readonly number[]) => fitStatistics(pickRows(features, dimensions, rows), dimensions);
  const measure = (statistics: FeatureStatistics, rows: readonly number[]) =>
    rows.map((i) => distanceOf(statistics, features.subarray(i * dimensions, (i + 1) * dimensions)));
  const statistics = fitRows(train);
  if (val.length >= MIN_VALIDATION)
    return { statistics, distances: Float32Array.from(measure(statistics, val)).sort() };

  const rows = [...train, ...val];
  const order = new Map([...new Set(rows.map(groupOf))].map((group, i) => [group, i % FOLDS]));
  const distances = Array.from({ length: FOLDS }, (_, fold) => {
    const isHeldOut = (row: number) => order.get(groupOf(row)) === fold;
    const kept = rows.filter((row) => !isHeldOut(row));
    return kept.length === 0 ? [] : measure(fitRows(kept), rows.filter(isHeldOut));
  }).flat();
  return { statistics, distances: Float32Array.from(distances).sort() };
}

/** The `rows` of a row-major matrix. */
export function pickRows(matrix: Float32Array, columns: number, rows: readonly number[]): Float32Array {
  const picked = new Float32Array(rows.length * columns);
  for (const [n, i] of rows.entries()) picked.set(matrix.subarray(i * columns, (i + 1) * columns), n * columns);
  return picked;
}
