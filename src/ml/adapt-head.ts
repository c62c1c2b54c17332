import { type Head, softmax } from './classifier.ts';
import { minimize } from './lbfgs.ts';
import type { Prediction } from './metrics.ts';
import type { Projection } from './replay.ts';

/** N photos as one head sees them. */
export interface HeadPhotos {
  /** [N, D] See `coordinatesOf`. */
  readonly points: Float32Array;
  /** [N, K] Calibrated logits of the unchanged head. */
  readonly logits: Float32Array;
  /** [N] */
  readonly targets: ArrayLike<number>;
}

/** A linear change of the calibrated logits: [K, D] and [K]. */
export interface Change {
  readonly weights: Float64Array;
  readonly bias: Float64Array;
}

/** Chosen in decision 44. */
const DECAY = 0.001;
/** Most photos contribute almost nothing. */
const NEGLIGIBLE_ERROR = 1e-5;

/**
 * The change of a head that classifies the new photos and keeps the probabilities of the old ones: distillation on stored
 * features (dark experience replay, Buzzega et al. 2020, arXiv:2004.07211). Without new photos there is no change.
 */
export function fitChange(old: Omit<HeadPhotos, 'targets'>, added: HeadPhotos, dimensions: number): Change {
  const points = concat(old.points, added.points);
  const logits = concat(old.logits, added.logits);
  const count = points.length / dimensions;
  const classes = logits.length / count;
  const oldCount = count - added.targets.length;
  const goals = new Float64Array(logits.length);
  const isChanged = new Uint8Array(classes);
  for (let n = 0; n < oldCount; n++) goals.set(softmax(Float64Array.from(rowOf(logits, n, classes))), n * classes);
  for (let n = 0; n < added.targets.length; n++) {
    goals[(oldCount + n) * classes + added.targets[n]!] = 1;
    isChanged[added.targets[n]!] = 1;
  }

  const biases = classes * dimensions;
  const asChange = (fit: Float64Array): Change => ({ weights: fit.subarray(0, biases), bias: fit.subarray(biases) });
  const fit = minimize(new Float64Array(biases + classes), (at, gradient) => {
    gradient.fill(0);
    let loss = 0;
    for (let n = 0; n < count; n++) {
      const point = rowOf(points, n, dimensions);
      const probabilities = softmax(changeLogits(asChange(at), point, rowOf(logits, n, classes)));
      for (let k = 0; k < classes; k++) {
        const goal = goals[n * classes + k]!;
        if (goal > 0) loss -= (goal * Math.log(Math.max(probabilities[k]!, Number.MIN_VALUE))) / count;
        const error = (probabilities[k]! - goal) / count;
        if (isChanged[k] === 0 || Math.abs(error) < NEGLIGIBLE_ERROR / count) continue;
        gradient[biases + k]! += error;
        for (let d = 0, to = k * dimensions; d < dimensions; d++, to++) gradient[to]! += error * point[d]!;
      }
    }
    for (let i = 0; i < biases; i++) {
      loss += DECAY * at[i]! ** 2;
      gradient[i]! += 2 * DECAY * at[i]!;
    }
    return loss;
  });
  return asChange(fit);
}

/** With the unchanged head, or after a change. */
export function predictPhotos({ points, logits, targets }: HeadPhotos, change?: Change): Prediction[] {
  const count = targets.length;
  return Array.from({ length: count }, (_, n) => {
    const row = rowOf(logits, n, logits.length / count);
    const changed = change
      ? changeLogits(change, rowOf(points, n, points.length / count), row)
      : Float64Array.from(row);
    return { probabilities: softmax(changed), target: targets[n]! };
  });
}

/** The head with the change folded into its weights. */
export function foldChange(head: Head, { weights, bias }: Change, projection: Projection): Head {
  const { mean, scale, components, variances } = projection;
  const folded = { ...head, weights: head.weights.slice(), bias: head.bias.slice() };
  for (let k = 0; k < head.labels.length; k++) {
    folded.bias[k]! += head.temperature * bias[k]!;
    for (let d = 0; d < mean.length; d++) {
      let slope = 0;
      for (let c = 0; c < variances.length; c++) {
        slope += (weights[k * variances.length + c]! * components[c * mean.length + d]!) / Math.sqrt(variances[c]!);
      }
      slope *= head.temperature / scale[d]!;
      folded.weights[k * mean.length + d]! += slope;
      folded.bias[k]! -= slope * mean[d]!;
    }
  }
  return folded;
}

function changeLogits({ weights, bias }: Change, point: Float32Array, logits: Float32Array): Float64Array {
  const changed = Float64Array.from(logits);
  for (let k = 0; k < logits.length; k++) {
    let sum = bias[k]!;
    for (let d = 0, at = k * point.length; d < point.length; d++, at++) sum += weights[at]! * point[d]!;
    changed[k]! += sum;
  }
  return changed;
}

const rowOf = (matrix: Float32Array, n: number, columns: number) => matrix.subarray(n * columns, (n + 1) * columns);

function concat(a: Float32Array, b: Float32Array): Float32Array {
  const all = new Float32Array(a.length + b.length);
  all.set(a);
  all.set(b, a.length);
  return all;
}
