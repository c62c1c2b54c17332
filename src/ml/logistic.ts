import type { Head } from './classifier.ts';
import { minimise } from './lbfgs.ts';

/** Labelled images as their features: [N, D], row by row, and the class of each, 0..K-1. */
export interface Labelled {
  readonly features: Float32Array;
  readonly dimensions: number;
  readonly targets: Int32Array;
}

/** Weights [K, D] and bias [K] on standardised features, in one array: what a fit starts from and ends with. */
export type Fit = Float64Array;

/**
 * A fitter of one head: multinomial logistic regression, that is, the least mean cross entropy plus `decay` times the
 * sum of the squared weights. Called with falling decays, each fit begins where the last one ended.
 */
export function createFitter({ features, dimensions, targets }: Labelled, classes: number) {
  const { mean, scale } = spread(features, dimensions);
  const standard = features.map((value, i) => (value - mean[i % dimensions]!) / scale[i % dimensions]!);
  let fit: Fit = new Float64Array(classes * (dimensions + 1));

  return (decay: number): Pick<Head, 'weights' | 'bias'> => {
    fit = minimise(fit, (point, gradient) =>
      loss({ features: standard, dimensions, targets }, classes, decay, point, gradient),
    );
    // Folded into the weights, standardisation costs nothing when the head is used.
    const weights = new Float32Array(classes * dimensions);
    const bias = new Float32Array(classes);
    for (let k = 0; k < classes; k++) {
      let shift = fit[classes * dimensions + k]!;
      for (let d = 0; d < dimensions; d++) {
        const weight = fit[k * dimensions + d]! / scale[d]!;
        weights[k * dimensions + d] = weight;
        shift -= weight * mean[d]!;
      }
      bias[k] = shift;
    }
    return { weights, bias };
  };
}

/** Mean and spread of each feature. */
function spread(features: Float32Array, dimensions: number): { mean: Float64Array; scale: Float64Array } {
  const count = features.length / dimensions;
  const mean = new Float64Array(dimensions);
  const squares = new Float64Array(dimensions);
  for (let i = 0; i < features.length; i++) mean[i % dimensions]! += features[i]! / count;
  for (let i = 0; i < features.length; i++) squares[i % dimensions]! += (features[i]! - mean[i % dimensions]!) ** 2;
  const scale = squares.map((sum) => Math.sqrt(sum / count));
  // A feature that hardly ever moves must not be blown up to the size of the others: it would be noise.
  const least = 0.05 * (scale.reduce((a, b) => a + b, 0) / dimensions) + 1e-6;
  return { mean, scale: scale.map((value) => value + least) };
}

/** Loss and gradient, one image after the other: its row is read twice while it is in the nearest cache. */
function loss(
  { features, dimensions, targets }: Labelled,
  classes: number,
  decay: number,
  point: Fit,
  gradient: Float64Array,
): number {
  const count = targets.length;
  const biases = classes * dimensions;
  const errors = new Float64Array(classes);
  gradient.fill(0);
  let sum = 0;
  for (let n = 0; n < count; n++) {
    const row = features.subarray(n * dimensions, (n + 1) * dimensions);
    logits(row, point, classes, errors);
    sum += toErrors(errors, targets[n]!);
    for (let k = 0; k < classes; k++) {
      errors[k]! /= count;
      gradient[biases + k]! += errors[k]!;
    }
    spreadErrors(row, errors, count, gradient);
  }
  let squares = 0;
  for (let i = 0; i < biases; i++) {
    squares += point[i]! ** 2;
    gradient[i]! += 2 * decay * point[i]!;
  }
  return sum / count + decay * squares;
}

// Four classes at a time: a feature is loaded once for all of them, which is most of the speed of these two loops.

function logits(row: Float32Array, point: Fit, classes: number, into: Float64Array): void {
  const D = row.length;
  const biases = classes * D;
  let k = 0;
  for (; k + 4 <= classes; k += 4) {
    const [a, b, c, e] = [k * D, (k + 1) * D, (k + 2) * D, (k + 3) * D];
    let [s0, s1, s2, s3] = [0, 0, 0, 0];
    for (let d = 0; d < D; d++) {
      const value = row[d]!;
      s0 += value * point[a + d]!;
      s1 += value * point[b + d]!;
      s2 += value * point[c + d]!;
      s3 += value * point[e + d]!;
    }
    into[k] = s0 + point[biases + k]!;
    into[k + 1] = s1 + point[biases + k + 1]!;
    into[k + 2] = s2 + point[biases + k + 2]!;
    into[k + 3] = s3 + point[biases + k + 3]!;
  }
  for (; k < classes; k++) {
    let sum = point[biases + k]!;
    for (let d = 0; d < D; d++) sum += row[d]! * point[k * D + d]!;
    into[k] = sum;
  }
}

function spreadErrors(row: Float32Array, errors: Float64Array, count: number, gradient: Float64Array): void {
  const D = row.length;
  const classes = errors.length;
  // An image that is already understood has next to nothing to say; late in a fit that is most of them.
  const nothing = 1e-6 / count;
  for (let k = 0; k < classes; k++) {
    const error = errors[k]!;
    if (Math.abs(error) < nothing) continue;
    const at = k * D;
    for (let d = 0; d < D; d++) gradient[at + d]! += error * row[d]!;
  }
}

/** Turns logits into probabilities less the truth, in place; returns the cross entropy. */
function toErrors(values: Float64Array, target: number): number {
  let highest = Number.NEGATIVE_INFINITY;
  for (let k = 0; k < values.length; k++) if (values[k]! > highest) highest = values[k]!;
  const entropy = highest - values[target]!;
  let sum = 0;
  for (let k = 0; k < values.length; k++) {
    values[k] = Math.exp(values[k]! - highest);
    sum += values[k]!;
  }
  for (let k = 0; k < values.length; k++) values[k]! /= sum;
  values[target]! -= 1;
  return entropy + Math.log(sum);
}
