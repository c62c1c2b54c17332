import { accuracy, type ClassMetrics, calibrationError, type Prediction, perClass } from '../../../ml/metrics.ts';
import { percent } from './heads.ts';

export interface Figures {
  readonly accuracy: number;
  readonly calibrationError: number;
  readonly classes: readonly ClassMetrics[];
}

/** Figures of a base version and of a new one on the same images. */
export interface Comparison {
  readonly images: number;
  readonly before: Figures;
  readonly after: Figures;
}

export function compare(
  labels: readonly string[],
  before: readonly Prediction[],
  after: readonly Prediction[],
): Comparison {
  const figuresOf = (predictions: readonly Prediction[]): Figures => ({
    accuracy: accuracy(predictions),
    calibrationError: calibrationError(predictions),
    classes: perClass(labels, predictions),
  });
  return { images: before.length, before: figuresOf(before), after: figuresOf(after) };
}

/** The classes that occur, or that a version found. */
export const shownClasses = ({ before, after }: Comparison): { before: ClassMetrics; after: ClassMetrics }[] =>
  before.classes
    .map((old, k) => ({ before: old, after: after.classes[k]! }))
    .filter((each) => each.after.support > 0 || (each.before.precision ?? each.after.precision) !== undefined);

/** A table with the recall and the precision of each class that occurs, as `| a | b |` lines. */
export function comparisonTable(comparison: Comparison): string[] {
  const { images, before, after } = comparison;
  if (images === 0) return ['No photos of classes that the head has.'];
  const rows = shownClasses(comparison).map(({ before: old, after: { label, support, recall, precision } }) => [
    ...[label, ...change(old.recall, recall), ...change(old.precision, precision), String(support)],
  ]);
  const header = ['class', 'recall before', 'after', 'change', 'precision before', 'after', 'change', 'images'];
  const total = ['accuracy', ...change(before.accuracy, after.accuracy), '', '', '', String(images)];
  const table = [header, ...rows, total];
  const widths = header.map((_, c) => Math.max(...table.map((row) => row[c]!.length)));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, c) => (c === 0 ? cell.padEnd(widths[c]!) : cell.padStart(widths[c]!))).join(' | ')} |`;
  const rule = `| ${widths.map((width, c) => (c === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`;
  return [line(header), rule, ...rows.map(line), line(total)];
}

const change = (before: number | undefined, after: number | undefined): [string, string, string] => {
  const text = before === undefined || after === undefined ? '–' : signed(100 * (after - before));
  return [percent(before), percent(after), text];
};

/** A difference that rounds to zero has no sign. */
function signed(points: number): string {
  const size = Math.abs(points).toFixed(1);
  return size === '0.0' ? size : `${points < 0 ? '−' : '+'}${size}`;
}
