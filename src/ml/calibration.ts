import { softmax } from './classifier.ts';
import { crossEntropy } from './metrics.ts';

/**
 * Fits the temperature that minimizes cross entropy on held-out images (Guo et al. 2017). Changes confidences, not
 * predictions.
 */
export function fitTemperature(logits: readonly Float64Array[], targets: ArrayLike<number>): number {
  if (logits.length === 0) return 1;
  const entropy = (logOfTemperature: number) => {
    const temperature = Math.exp(logOfTemperature);
    return crossEntropy(
      logits.map((row, i) => ({
        probabilities: softmax(row.map((logit) => logit / temperature)),
        target: targets[i]!,
      })),
    );
  };
  // Golden-section search over 1/4..5 to a thousandth; the function is unimodal.
  const golden = (Math.sqrt(5) - 1) / 2;
  let [low, high] = [Math.log(0.25), Math.log(5)];
  while (high - low > 1e-3) {
    const [left, right] = [high - golden * (high - low), low + golden * (high - low)];
    if (entropy(left) < entropy(right)) high = right;
    else low = left;
  }
  return Number(Math.exp((low + high) / 2).toFixed(4));
}
