import type { Projection } from '../../page-geometry.ts';
import { compose, translation } from './projection.ts';
import type { Segment } from './text-lines.ts';

/**
 * Estimates the homography from the straight frame to that of the segments, for a page that is nearly straight. Both
 * frames have the same size and centre.
 *
 * Near the identity, (u + pv, v + qu) / (1 + gu + hv) tilts a horizontal line by q − gv and a vertical one by p − hu, so
 * (q, g) and (p, h) are linear fits to the measured tilts; 0 with too few lines.
 */
export function estimatePerspective(
  horizontal: readonly Segment[],
  vertical: readonly Segment[],
  { width, height }: { width: number; height: number },
): Projection {
  const [q, g] = fitTilt(
    horizontal.map(({ x0, y0, x1, y1 }) => ({
      tilt: (y1 - y0) / (x1 - x0),
      at: (y0 + y1 - height) / 2,
      length: x1 - x0,
    })),
    { minLength: width * 0.25, span: height * 0.4 },
  );
  const [p, h] = fitTilt(
    vertical.map(({ x0, y0, x1, y1 }) => ({ tilt: (x1 - x0) / (y1 - y0), at: (x0 + x1 - width) / 2, length: y1 - y0 })),
    { minLength: height * 0.15, span: width * 0.4 },
  );
  const middle: Projection = [1, p, 0, q, 1, 0, g, h, 1];
  return compose(translation(width / 2, height / 2), compose(middle, translation(-width / 2, -height / 2)));
}

interface Tilted {
  readonly tilt: number;
  readonly at: number;
  readonly length: number;
}

/**
 * Fits the tilt at the centre and its decrease per pixel by iteratively reweighted least squares, which discounts
 * outliers. The decrease is 0 unless the lines span `span` pixels; both are 0 below `minLength` pixels of lines.
 */
function fitTilt(lines: readonly Tilted[], { minLength, span }: { minLength: number; span: number }): [number, number] {
  if (lines.reduce((sum, { length }) => sum + length, 0) < minLength) return [0, 0];
  const places = lines.map(({ at }) => at);
  const wide = lines.length >= 4 && Math.max(...places) - Math.min(...places) >= span;
  let constant = weightedMedian(lines);
  let decrease = 0;
  for (let round = 0; round < 8; round++) {
    let w = 0;
    let wx = 0;
    let wy = 0;
    let wxx = 0;
    let wxy = 0;
    for (const line of lines) {
      const off = (line.tilt - constant + decrease * line.at) / ACCURACY;
      const weight = line.length / (1 + off * off);
      w += weight;
      wx += weight * line.at;
      wy += weight * line.tilt;
      wxx += weight * line.at * line.at;
      wxy += weight * line.at * line.tilt;
    }
    const spread = w * wxx - wx * wx;
    decrease = wide && spread > 0 ? -(w * wxy - wx * wy) / spread : 0;
    constant = (wy + decrease * wx) / w;
  }
  return [constant, decrease];
}

/** Of a measured text line: a quarter of a degree. */
const ACCURACY = 0.0045;

export function weightedMedian(lines: readonly { tilt: number; length: number }[]): number {
  const sorted = [...lines].sort((a, b) => a.tilt - b.tilt);
  const half = sorted.reduce((sum, { length }) => sum + length, 0) / 2;
  let sum = 0;
  for (const { tilt, length } of sorted) {
    sum += length;
    if (sum >= half) return tilt;
  }
  return 0;
}
