import type { Projection } from '../../page.ts';
import { compose, shift } from './projection.ts';
import type { Segment } from './text-lines.ts';

/**
 * What makes the lines of a sheet straight that stands nearly so: the view of a camera that was not held quite level.
 * Goes from the straight frame to the one of the segments, both of `size` and with the same middle. `level` should run
 * across, `plumb` from the top down.
 *
 * Near the identity a homography (u + pv, v + qu) / (1 + gu + hv) tilts a level line by q − gv and a plumb one by p − hu, so
 * that both pairs are lines through the tilts that were measured. Where there is too little to measure, nothing is tilted.
 */
export function straightening(
  level: readonly Segment[],
  plumb: readonly Segment[],
  { width, height }: { width: number; height: number },
): Projection {
  const [q, g] = tilt(
    level.map(({ x0, y0, x1, y1 }) => ({ tilt: (y1 - y0) / (x1 - x0), at: (y0 + y1 - height) / 2, long: x1 - x0 })),
    { enough: width * 0.25, span: height * 0.4 },
  );
  const [p, h] = tilt(
    plumb.map(({ x0, y0, x1, y1 }) => ({ tilt: (x1 - x0) / (y1 - y0), at: (x0 + x1 - width) / 2, long: y1 - y0 })),
    { enough: height * 0.15, span: width * 0.4 },
  );
  const middle: Projection = [1, p, 0, q, 1, 0, g, h, 1];
  return compose(shift(width / 2, height / 2), compose(middle, shift(-width / 2, -height / 2)));
}

interface Tilted {
  readonly tilt: number;
  readonly at: number;
  readonly long: number;
}

/**
 * The tilt in the middle, and how much it falls for each pixel away from it, by weighted least squares in which what
 * does not agree with the rest soon counts for little. No fall without lines on a wide span; no tilt without enough of them.
 */
function tilt(lines: readonly Tilted[], { enough, span }: { enough: number; span: number }): [number, number] {
  if (lines.reduce((sum, { long }) => sum + long, 0) < enough) return [0, 0];
  const places = lines.map(({ at }) => at);
  const wide = lines.length >= 4 && Math.max(...places) - Math.min(...places) >= span;
  let constant = weightedMedian(lines);
  let fall = 0;
  for (let round = 0; round < 8; round++) {
    let w = 0;
    let wx = 0;
    let wy = 0;
    let wxx = 0;
    let wxy = 0;
    for (const line of lines) {
      const off = (line.tilt - constant + fall * line.at) / DOUBT;
      const weight = line.long / (1 + off * off);
      w += weight;
      wx += weight * line.at;
      wy += weight * line.tilt;
      wxx += weight * line.at * line.at;
      wxy += weight * line.at * line.tilt;
    }
    const spread = w * wxx - wx * wx;
    fall = wide && spread > 0 ? -(w * wxy - wx * wy) / spread : 0;
    constant = (wy + fall * wx) / w;
  }
  return [constant, fall];
}

/** A quarter of a degree: what a line of text is measured to. */
const DOUBT = 0.0045;

export function weightedMedian(lines: readonly { tilt: number; long: number }[]): number {
  const sorted = [...lines].sort((a, b) => a.tilt - b.tilt);
  const half = sorted.reduce((sum, { long }) => sum + long, 0) / 2;
  let sum = 0;
  for (const { tilt, long } of sorted) {
    sum += long;
    if (sum >= half) return tilt;
  }
  return 0;
}
