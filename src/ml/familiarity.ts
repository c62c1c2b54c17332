/**
 * Statistics of the training photos' features: a probabilistic principal component analysis (Tipping and Bishop 1999).
 * The distance of a photo is its Mahalanobis distance, with one variance for all directions outside the components.
 */
export interface FeatureStatistics {
  /** [D] */
  readonly mean: Float32Array;
  /** [D] Standard deviation; divides the centred features. */
  readonly scale: Float32Array;
  /** [K, D], row-major, orthonormal: the principal components of the standardized features. */
  readonly components: Float32Array;
  /** [K] Variances along the components. */
  readonly variances: Float32Array;
  /** Mean variance outside the components. */
  readonly noise: number;
}

export interface Familiarity {
  readonly statistics: FeatureStatistics;
  /** Distances of photos that did not fit the statistics, ascending. */
  readonly distances: Float32Array;
}

/** A smaller familiarity is reported as unfamiliar: 1 % of photos like the training photos. */
export const UNFAMILIAR_BELOW = 0.01;

/** Mean distance per feature, so that it is about 1 for training photos. */
export function distanceOf(statistics: FeatureStatistics, features: Float32Array): number {
  const { mean, scale, components, variances, noise } = statistics;
  const dimensions = mean.length;
  const point = new Float32Array(dimensions);
  let outside = 0;
  for (let d = 0; d < dimensions; d++) {
    const value = (features[d]! - mean[d]!) / scale[d]!;
    point[d] = value;
    outside += value * value;
  }
  let inside = 0;
  for (let k = 0; k < variances.length; k++) {
    const along = dot(components, k * dimensions, point);
    outside -= along * along;
    inside += (along * along) / variances[k]!;
  }
  return (inside + Math.max(0, outside) / noise) / dimensions;
}

/** Share of the photos in `distances` that are farther than `distance`, with four decimals; 1 without photos. */
export function familiarityOf(distances: Float32Array, distance: number): number {
  if (distances.length === 0) return 1;
  let [low, high] = [0, distances.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (distances[middle]! <= distance) low = middle + 1;
    else high = middle;
  }
  return Math.round(((distances.length - low) / distances.length) * 1e4) / 1e4;
}

/** Σ rows[at + d]·vector[d]. Four sums: a single one would wait for each addition. */
export function dot(rows: Float32Array, at: number, vector: Float32Array): number {
  let [a, b, c, e] = [0, 0, 0, 0];
  let d = 0;
  for (; d + 4 <= vector.length; d += 4) {
    a += rows[at + d]! * vector[d]!;
    b += rows[at + d + 1]! * vector[d + 1]!;
    c += rows[at + d + 2]! * vector[d + 2]!;
    e += rows[at + d + 3]! * vector[d + 3]!;
  }
  for (; d < vector.length; d++) a += rows[at + d]! * vector[d]!;
  return a + b + c + e;
}
