/** Class probabilities of one image, and the class that it is. */
export interface Judged {
  readonly probabilities: Float64Array;
  readonly target: number;
}

export interface ClassMetrics {
  readonly label: string;
  /** Of the images named so, how many are; absent when none was named so. */
  readonly precision?: number;
  /** Of the images that are so, how many were named so; absent when there are none. */
  readonly recall?: number;
  /** Images that are so. */
  readonly support: number;
}

const BINS = 15;

export function accuracy(judged: readonly Judged[]): number {
  return judged.filter(({ probabilities, target }) => best(probabilities) === target).length / judged.length;
}

/**
 * Expected calibration error (Naeini et al. 2015; Guo et al. 2017): how far the confidence of the first choice is from
 * how often it is right, in 15 equal bins of confidence, weighted by their images.
 */
export function calibrationError(judged: readonly Judged[]): number {
  const gaps = new Float64Array(BINS);
  for (const { probabilities, target } of judged) {
    const choice = best(probabilities);
    const confidence = probabilities[choice]!;
    gaps[Math.min(BINS - 1, Math.floor(confidence * BINS))]! += confidence - (choice === target ? 1 : 0);
  }
  return gaps.reduce((sum, gap) => sum + Math.abs(gap), 0) / judged.length;
}

/** Mean cross entropy: what fits are chosen by, since it asks for right and honest confidences at once. */
export function crossEntropy(judged: readonly Judged[]): number {
  const sum = judged.reduce((total, { probabilities, target }) => total - Math.log(probabilities[target]! + 1e-12), 0);
  return sum / judged.length;
}

export function perClass(labels: readonly string[], judged: readonly Judged[]): ClassMetrics[] {
  const chosen = judged.map(({ probabilities }) => best(probabilities));
  return labels.map((label, k) => {
    const support = judged.filter(({ target }) => target === k).length;
    const named = chosen.filter((choice) => choice === k).length;
    const hits = judged.filter(({ target }, i) => target === k && chosen[i] === k).length;
    return {
      label,
      support,
      ...(named > 0 && { precision: hits / named }),
      ...(support > 0 && { recall: hits / support }),
    };
  });
}

/**
 * The confidence from which defects are listed: the one with the best F1 over all classes. One for all: few classes have
 * enough images for one of their own. The curve is flat at its top, so the middle of what is nearly best is taken.
 * `sound` is the class that is never listed, or -1.
 */
export function listingThreshold(judged: readonly Judged[], sound: number): number {
  const curve = Array.from({ length: 81 }, (_, i) => {
    const threshold = (10 + i) / 100;
    let [listed, hits, there] = [0, 0, 0];
    for (const { probabilities, target } of judged) {
      for (let k = 0; k < probabilities.length; k++) {
        if (k === sound) continue;
        const isListed = probabilities[k]! >= threshold;
        if (isListed) listed++;
        if (isListed && k === target) hits++;
        if (k === target) there++;
      }
    }
    return { threshold, f1: (2 * hits) / Math.max(1, listed + there) };
  });
  const highest = Math.max(...curve.map(({ f1 }) => f1));
  const near = curve.filter(({ f1 }) => f1 >= highest - 0.001);
  return near[near.length >> 1]!.threshold;
}

function best(probabilities: Float64Array): number {
  let choice = 0;
  for (let k = 1; k < probabilities.length; k++) if (probabilities[k]! > probabilities[choice]!) choice = k;
  return choice;
}
