/** A linear head: one class for each row of `weights`. */
export interface Head {
  readonly labels: readonly string[];
  /** [K, D], row by row. */
  readonly weights: Float32Array;
  /** [K] */
  readonly bias: Float32Array;
  /** The logits are divided by it: fitted on held-out images, it makes confidences honest (Guo et al. 2017). */
  readonly temperature: number;
}

/** A class and its confidence, 0..1 with at most four decimals. */
export interface Scored {
  readonly name: string;
  readonly conf: number;
}

/** Probabilities [K] of the classes, for one image's features [D]. */
export function classify(head: Head, features: Float32Array): Float64Array {
  return probabilities(head, logitsOf(head, features));
}

/** What the head's logits [K] mean, once they are divided by its temperature. */
export function probabilities({ temperature }: Head, logits: Float64Array): Float64Array {
  return softmax(logits.map((logit) => logit / temperature));
}

/** What the head says before its temperature: [K]. */
export function logitsOf({ labels, weights, bias }: Omit<Head, 'temperature'>, features: Float32Array): Float64Array {
  const logits = new Float64Array(labels.length);
  for (let k = 0; k < labels.length; k++) {
    let sum = bias[k]!;
    const row = k * features.length;
    for (let d = 0; d < features.length; d++) sum += weights[row + d]! * features[d]!;
    logits[k] = sum;
  }
  return logits;
}

export function softmax(logits: Float64Array): Float64Array {
  // Without the shift a large logit overflows; a constant in all of them changes nothing.
  const highest = Math.max(...logits);
  const raised = logits.map((logit) => Math.exp(logit - highest));
  const sum = raised.reduce((a, b) => a + b, 0);
  return raised.map((value) => value / sum);
}

/**
 * All classes with confidences of four decimals that still sum to 1: what rounding down leaves over goes, one unit
 * each, to those that lost most by it. Surest first; equals by name.
 */
export function scores(labels: readonly string[], probabilities: Float64Array): Scored[] {
  const exact = Array.from(probabilities, (p) => p * UNITS);
  const units = exact.map(Math.floor);
  const left = UNITS - units.reduce((a, b) => a + b, 0);
  const byLoss = units.map((_, k) => k).sort((a, b) => exact[b]! - units[b]! - (exact[a]! - units[a]!));
  for (const k of byLoss.slice(0, Math.max(0, left))) units[k]!++;
  return labels.map((name, k) => ({ name, conf: units[k]! / UNITS })).sort(bySurety);
}

const UNITS = 10_000;
const bySurety = (a: Scored, b: Scored) => b.conf - a.conf || (a.name < b.name ? -1 : 1);

/** The class with the highest probability. */
export function top(labels: readonly string[], probabilities: Float64Array): string {
  let best = 0;
  for (let k = 1; k < probabilities.length; k++) if (probabilities[k]! > probabilities[best]!) best = k;
  return labels[best]!;
}

/**
 * Where on the image each class of a head was seen (class activation maps: Zhou et al. 2016). The features' tail is the
 * mean of `map` [channels, cells], so a class's logit is the mean over the cells of Σc W[k,c]·map[c,cell]: that sum is
 * the class's share of each cell. What speaks against the class is cut off, and the highest cell becomes 255. A class that
 * nothing speaks for stays 0 everywhere, and so does one that the head all but rules out: most classes of most photos,
 * whose maps would be most of the work and show nothing. Bytes [classes, cells].
 */
export function activationMaps(head: Head, logits: Float64Array, map: Float32Array, channels: number): Uint8Array {
  const features = head.weights.length / head.labels.length;
  const cells = map.length / channels;
  const bytes = new Uint8Array(head.labels.length * cells);
  probabilities(head, logits).forEach((probability, k) => {
    if (probability < LEAST_MAPPED) return;
    const weights = head.weights.subarray((k + 1) * features - channels, (k + 1) * features);
    const sums = evidence(weights, map, cells);
    const highest = Math.max(...sums);
    for (let cell = 0; highest > 0 && cell < cells; cell++) {
      bytes[k * cells + cell] = Math.round((Math.max(0, sums[cell]!) / highest) * 255);
    }
  });
  return bytes;
}

const LEAST_MAPPED = 0.01;

/** Σc weights[c]·map[c,cell] for each cell; four cells at a time, since this is the most that is computed outside the network. */
function evidence(weights: Float32Array, map: Float32Array, cells: number): Float64Array {
  const sums = new Float64Array(cells);
  for (let cell = 0; cell < cells; cell += 4) {
    let [a, b, c, d] = [0, 0, 0, 0];
    for (let channel = 0, at = cell; channel < weights.length; channel++, at += cells) {
      const weight = weights[channel]!;
      a += weight * map[at]!;
      b += weight * map[at + 1]!;
      c += weight * map[at + 2]!;
      d += weight * map[at + 3]!;
    }
    sums.set([a, b, c, d].slice(0, cells - cell), cell);
  }
  return sums;
}
