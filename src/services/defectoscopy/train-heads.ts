import { fitTemperature } from '../../ml/calibration.ts';
import { classify, type Head, logitsOf } from '../../ml/classifier.ts';
import { createFitter } from '../../ml/logistic.ts';
import {
  accuracy,
  type ClassMetrics,
  calibrationError,
  crossEntropy,
  type Judged,
  perClass,
} from '../../ml/metrics.ts';
import type { Split } from './train-folder.ts';

/** Strengths of the penalty on the weights that are tried, the strongest first: each fit begins where the last ended. */
const DECAYS = [0.03, 0.01, 0.003, 0.001, 0.0003];

/** Labelled features of the images that could be read: [N, D], row by row. */
export interface HeadData {
  readonly features: Float32Array;
  readonly dimensions: number;
  readonly splits: readonly Split[];
  /** The class name of each image. */
  readonly names: readonly string[];
}

export interface HeadReport {
  readonly decay: number;
  /** Where it was measured: test, or the best that there is. */
  readonly split: Split;
  readonly images: number;
  readonly accuracy: number;
  readonly calibrationError: number;
  readonly classes: readonly ClassMetrics[];
}

/** Fits one head on train, with penalty and temperature chosen on val, and measures it on test. */
export async function trainHead(
  data: HeadData,
  labels: readonly string[],
): Promise<{ head: Head; report: HeadReport }> {
  const of = (split: Split) => data.splits.flatMap((other, i) => (other === split ? [i] : []));
  const [train, val, test] = [of('train'), of('val'), of('test')];
  const fitWith = createFitter({ ...pick(data, train), targets: targets(data, train, labels) }, labels.length);

  let best: { head: Head; decay: number; loss: number } | undefined;
  for (const decay of DECAYS) {
    const raw = { labels, ...fitWith(decay) };
    // Each penalty is judged by what it comes to when its confidences have been made honest.
    const logits = val.map((i) => logitsOf(raw, row(data, i)));
    const temperature = fitTemperature(logits, targets(data, val, labels));
    const head = { ...raw, temperature };
    const loss = val.length > 0 ? crossEntropy(judge(head, data, val)) : 0;
    // Past the valley the weights only learn the training images by heart.
    if (best && loss > best.loss) break;
    // Without images to choose by, a middling penalty is the safest.
    best = { head, decay, loss };
    if (val.length === 0 && decay <= 0.01) break;
    await breathe();
  }
  const { head, decay } = best!;
  const [split, held] =
    test.length > 0
      ? (['test', test] as const)
      : val.length > 0
        ? (['val', val] as const)
        : (['train', train] as const);
  const judged = judge(head, data, held);
  return {
    head,
    report: {
      decay,
      split,
      images: held.length,
      accuracy: accuracy(judged),
      calibrationError: calibrationError(judged),
      classes: perClass(labels, judged),
    },
  };
}

/** What a head says of the images of a split, against the truth. */
export function judgeSplit(head: Head, data: HeadData, split: Split): Judged[] {
  return judge(
    head,
    data,
    data.splits.flatMap((other, i) => (other === split ? [i] : [])),
  );
}

function judge(head: Head, data: HeadData, indices: readonly number[]): Judged[] {
  const truth = targets(data, indices, head.labels);
  return indices
    .map((i, n) => ({ probabilities: classify(head, row(data, i)), target: truth[n]! }))
    .filter(({ target }) => target >= 0);
}

function targets({ names }: HeadData, indices: readonly number[], labels: readonly string[]): Int32Array {
  return Int32Array.from(indices, (i) => labels.indexOf(names[i]!));
}

const row = ({ features, dimensions }: HeadData, i: number) => features.subarray(i * dimensions, (i + 1) * dimensions);

function pick(data: HeadData, indices: readonly number[]) {
  const { dimensions } = data;
  const features = new Float32Array(indices.length * dimensions);
  for (const [n, i] of indices.entries()) features.set(row(data, i), n * dimensions);
  return { features, dimensions };
}

/** Lets what waits (Ctrl-C, a line of progress) have its turn between two fits. */
const breathe = () => new Promise<void>((resolve) => setImmediate(resolve));
