import type { HeadReport } from './train-heads.ts';

/** What a head is worth, class by class, for a terminal. */
export function reportLines(
  name: string,
  { accuracy, calibrationError, images, split, decay, classes }: HeadReport,
): string[] {
  const width = Math.max(...classes.map(({ label }) => label.length), 5);
  return [
    '',
    `${name}: ${percent(accuracy)} right, calibration error ${calibrationError.toFixed(3)}, on ${images} ${split} images (penalty ${decay}).`,
    `  ${'class'.padEnd(width)}  precision   recall  images`,
    ...classes.map(
      ({ label, precision, recall, support }) =>
        `  ${label.padEnd(width)}  ${percent(precision).padStart(9)}  ${percent(recall).padStart(7)}  ${String(support).padStart(6)}`,
    ),
  ];
}

export const percent = (share: number | undefined) => (share === undefined ? '–' : `${(100 * share).toFixed(1)} %`);
