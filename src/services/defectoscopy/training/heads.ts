import { fitTemperature } from '../../../ml/calibration.ts';
import { classify, type Head, logitsOf } from '../../../ml/classifier.ts';
import { pickRows } from '../../../ml/fit-familiarity.ts';
import { createFitter } from '../../../ml/logistic.ts';
import {
  accuracy,
  type ClassMetrics,
  calibrationError,
  crossEntropy,
  type Prediction,
  perClass,
} from '../../../ml/metrics.ts';
import type { Split } from './folder.ts';

/** Weight decays to try, strongest first; each fit starts from the previous one. */
const DECAYS = [0.03, 0.01, 0.003, 0.001, 0.0003];

/** Labelled features [N, D] of the readable images. */
export interface HeadData {
  readonly features: Float32Array;
  readonly dimensions: number;
  readonly splits: readonly Split[];
  readonly names: readonly string[];
}

export interface HeadReport {
  readonly decay: number;
  /** The evaluated split: test if it has images, else val, else train. */
  readonly split: Split;
  readonly images: number;
  readonly accuracy: number;
  readonly calibrationError: number;
  readonly classes: readonly ClassMetrics[];
}

/** Fits one head on train, selects weight decay and temperature on val, and evaluates on test. */
export async function trainHead(
  data: HeadData,
  labels: readonly string[],
): Promise<{ head: Head; report: HeadReport }> {
  const indicesOf = (split: Split) => data.splits.flatMap((other, i) => (other === split ? [i] : []));
  const [train, val, test] = [indicesOf('train'), indicesOf('val'), indicesOf('test')];
  const fitWith = createFitter({ ...pick(data, train), targets: targets(data, train, labels) }, labels.length);

  let best: { head: Head; decay: number; loss: number } | undefined;
  for (const decay of DECAYS) {
    const raw = { labels, ...fitWith(decay) };
    // Compared after temperature scaling.
    const logits = val.map((i) => logitsOf(raw, row(data, i)));
    const temperature = fitTemperature(logits, targets(data, val, labels));
    const head = { ...raw, temperature };
    const loss = val.length > 0 ? crossEntropy(predict(head, data, val)) : 0;
    // Smaller penalties would overfit.
    if (best && loss > best.loss) break;
    // Without a val split, a medium penalty is used.
    best = { head, decay, loss };
    if (val.length === 0 && decay <= 0.01) break;
    await yieldToEventLoop();
  }
  const { head, decay } = best!;
  const [split, evaluated] =
    test.length > 0
      ? (['test', test] as const)
      : val.length > 0
        ? (['val', val] as const)
        : (['train', train] as const);
  const predictions = predict(head, data, evaluated);
  return {
    head,
    report: {
      decay,
      split,
      images: evaluated.length,
      accuracy: accuracy(predictions),
      calibrationError: calibrationError(predictions),
      classes: perClass(labels, predictions),
    },
  };
}

export function predictSplit(head: Head, data: HeadData, split: Split): Prediction[] {
  return predict(
    head,
    data,
    data.splits.flatMap((other, i) => (other === split ? [i] : [])),
  );
}

function predict(head: Head, data: HeadData, indices: readonly number[]): Prediction[] {
  const truth = targets(data, indices, head.labels);
  return indices
    .map((i, n) => ({ probabilities: classify(head, row(data, i)), target: truth[n]! }))
    .filter(({ target }) => target >= 0);
}

function targets({ names }: HeadData, indices: readonly number[], labels: readonly string[]): Int32Array {
  return Int32Array.from(indices, (i) => labels.indexOf(names[i]!));
}

const row = ({ features, dimensions }: HeadData, i: number) => features.subarray(i * dimensions, (i + 1) * dimensions);

const pick = ({ features, dimensions }: HeadData, indices: readonly number[]) => ({
  features: pickRows(features, dimensions, indices),
  dimensions,
});

/** For Ctrl-C and progress output. */
const yieldToEventLoop = () => new Promise<void>((resolve) => setImmediate(resolve));

export function reportLines(
  name: string,
  { accuracy, calibrationError, images, split, decay, classes }: HeadReport,
): string[] {
  const width = Math.max(...classes.map(({ label }) => label.length), 5);
  return [
    '',
    `${name}: accuracy ${percent(accuracy)}, calibration error ${calibrationError.toFixed(3)}, ${split} images: ${images}, penalty ${decay}.`,
    `  ${'class'.padEnd(width)}  precision   recall  images`,
    ...classes.map(
      ({ label, precision, recall, support }) =>
        `  ${label.padEnd(width)}  ${percent(precision).padStart(9)}  ${percent(recall).padStart(7)}  ${String(support).padStart(6)}`,
    ),
  ];
}

export const percent = (share: number | undefined) => (share === undefined ? '–' : `${(100 * share).toFixed(1)} %`);
