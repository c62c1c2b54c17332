import { argmax } from './tensor.ts';

export interface Head {
  readonly labels: readonly string[];
  /** [K, D], row-major. */
  readonly weights: Float32Array;
  /** [K] */
  readonly bias: Float32Array;
  /** Divides the logits to calibrate confidences; fitted on held-out images (Guo et al. 2017). */
  readonly temperature: number;
}

export interface ScoredClass {
  readonly name: string;
  readonly conf: number;
}

export function classify(head: Head, features: Float32Array): Float64Array {
  return probabilities(head, logitsOf(head, features));
}

export function probabilities({ temperature }: Head, logits: Float64Array): Float64Array {
  return softmax(logits.map((logit) => logit / temperature));
}

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
  // Shifted by the maximum to avoid overflow.
  const highest = Math.max(...logits);
  const exponentials = logits.map((logit) => Math.exp(logit - highest));
  const sum = exponentials.reduce((a, b) => a + b, 0);
  return exponentials.map((value) => value / sum);
}

/** All classes, highest confidence first, ties by name. Four decimals that sum to 1 (largest remainder method). */
export function scores(labels: readonly string[], probabilities: Float64Array): ScoredClass[] {
  const exact = Array.from(probabilities, (p) => p * UNITS);
  const units = exact.map(Math.floor);
  const leftover = UNITS - units.reduce((a, b) => a + b, 0);
  const byRemainder = units.map((_, k) => k).sort((a, b) => exact[b]! - units[b]! - (exact[a]! - units[a]!));
  for (const k of byRemainder.slice(0, Math.max(0, leftover))) units[k]!++;
  return labels.map((name, k) => ({ name, conf: units[k]! / UNITS })).sort(byConfidence);
}

const UNITS = 10_000;
const byConfidence = (a: ScoredClass, b: ScoredClass) => b.conf - a.conf || (a.name < b.name ? -1 : 1);

export function topLabel(labels: readonly string[], probabilities: Float64Array): string {
  return labels[argmax(probabilities)]!;
}

/**
 * Class activation maps (Zhou et al. 2016), bytes [classes, cells]. The last `channels` features are the means of `map`
 * [channels, cells], so the map of class k is Σc W[k,c]·map[c,cell], clipped at 0 and scaled to a maximum of 255.
 * Classes without positive evidence and improbable classes stay 0, which saves most of the work.
 */
export function activationMaps(head: Head, logits: Float64Array, map: Float32Array, channels: number): Uint8Array {
  const features = head.weights.length / head.labels.length;
  const cells = map.length / channels;
  const bytes = new Uint8Array(head.labels.length * cells);
  probabilities(head, logits).forEach((probability, k) => {
    if (probability < MIN_MAPPED_PROBABILITY) return;
    const weights = head.weights.subarray((k + 1) * features - channels, (k + 1) * features);
    const sums = evidence(weights, map, cells);
    const highest = Math.max(...sums);
    for (let cell = 0; highest > 0 && cell < cells; cell++) {
      bytes[k * cells + cell] = Math.round((Math.max(0, sums[cell]!) / highest) * 255);
    }
  });
  return bytes;
}

const MIN_MAPPED_PROBABILITY = 0.01;

/** Σc weights[c]·map[c,cell] per cell. Unrolled by four: the largest computation outside the network. */
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
