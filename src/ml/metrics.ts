import { argmax } from './tensor.ts';

export interface Prediction {
  readonly probabilities: Float64Array;
  readonly target: number;
}

export interface ClassMetrics {
  readonly label: string;
  readonly precision?: number;
  readonly recall?: number;
  readonly support: number;
}

const CALIBRATION_BINS = 15;

export function accuracy(judged: readonly Prediction[]): number {
  return judged.filter(({ probabilities, target }) => argmax(probabilities) === target).length / judged.length;
}

/** Expected calibration error (Naeini et al. 2015; Guo et al. 2017) over 15 equal-width bins. */
export function calibrationError(judged: readonly Prediction[]): number {
  const gaps = new Float64Array(CALIBRATION_BINS);
  for (const { probabilities, target } of judged) {
    const choice = argmax(probabilities);
    const confidence = probabilities[choice]!;
    gaps[Math.min(CALIBRATION_BINS - 1, Math.floor(confidence * CALIBRATION_BINS))]! +=
      confidence - (choice === target ? 1 : 0);
  }
  return gaps.reduce((sum, gap) => sum + Math.abs(gap), 0) / judged.length;
}

/** Mean cross entropy, the model selection criterion: it rewards both accuracy and calibration. */
export function crossEntropy(judged: readonly Prediction[]): number {
  const sum = judged.reduce((total, { probabilities, target }) => total - Math.log(probabilities[target]! + 1e-12), 0);
  return sum / judged.length;
}

export function perClass(labels: readonly string[], judged: readonly Prediction[]): ClassMetrics[] {
  const chosen = judged.map(({ probabilities }) => argmax(probabilities));
  return labels.map((label, k) => {
    const support = judged.filter(({ target }) => target === k).length;
    const predicted = chosen.filter((choice) => choice === k).length;
    const hits = judged.filter(({ target }, i) => target === k && chosen[i] === k).length;
    return {
      label,
      support,
      ...(predicted > 0 && { precision: hits / predicted }),
      ...(support > 0 && { recall: hits / support }),
    };
  });
}

/**
 * The listing threshold with the best F1 over all classes. One for all: most classes have too few images for their own.
 * Takes the middle of the flat maximum. `sound` is the index of the "no defect" class, or -1.
 */
export function listingThreshold(judged: readonly Prediction[], sound: number): number {
  const curve = Array.from({ length: 81 }, (_, i) => {
    const threshold = (10 + i) / 100;
    let [listed, hits, actual] = [0, 0, 0];
    for (const { probabilities, target } of judged) {
      for (let k = 0; k < probabilities.length; k++) {
        if (k === sound) continue;
        const isListed = probabilities[k]! >= threshold;
        if (isListed) listed++;
        if (isListed && k === target) hits++;
        if (k === target) actual++;
      }
    }
    return { threshold, f1: (2 * hits) / Math.max(1, listed + actual) };
  });
  const highest = Math.max(...curve.map(({ f1 }) => f1));
  const near = curve.filter(({ f1 }) => f1 >= highest - 0.001);
  return near[near.length >> 1]!.threshold;
}
