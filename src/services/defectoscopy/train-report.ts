import type { HeadReport } from './train-heads.ts';

/** The metrics of a head by class, formatted for a terminal. */
export function reportLines(
  name: string,
  { accuracy, calibrationError, images, split, decay, classes }: HeadReport,
): string[] {
  const width = Math.max(...classes.map(({ label }) => label.length), 5);
  return [
    '',
    `${name}: accuracy ${percent(accuracy)}, calibration error ${calibrationError.toFixed(3)}, on ${images} ${split} images (penalty ${decay}).`,
    `  ${'class'.padEnd(width)}  precision   recall  images`,
    ...classes.map(
      ({ label, precision, recall, support }) =>
        `  ${label.padEnd(width)}  ${percent(precision).padStart(9)}  ${percent(recall).padStart(7)}  ${String(support).padStart(6)}`,
    ),
  ];
}

export const percent = (share: number | undefined) => (share === undefined ? '–' : `${(100 * share).toFixed(1)} %`);
