import type { Projection } from '../../page-geometry.ts';
import { downscale, type GrayImage } from './grayscale.ts';

/** Resamples by Catmull-Rom interpolation. To scale below 2/3, call {@link downscale} first. */
export function warp(source: GrayImage, toSource: Projection, width: number, height: number): GrayImage {
  const out = new Uint8Array(width * height);
  const [a, b, c, d, e, f, g, h, i] = toSource;
  const { width: w, height: ht, data } = source;
  let blurred: GrayImage | undefined;
  const weights = WEIGHTS;
  const isAffine = g === 0 && h === 0 && i === 1;
  const cells = findUniformCells(source);
  for (let v = 0, pixel = 0; v < height; v++) {
    const y = v + 0.5;
    let nx = b * y + c + a * 0.5;
    let ny = e * y + f + d * 0.5;
    let nw = h * y + i + g * 0.5;
    for (let u = 0; u < width; u++, pixel++, nx += a, ny += d, nw += g) {
      const sx = (isAffine ? nx : nx / nw) - 0.5;
      const sy = (isAffine ? ny : ny / nw) - 0.5;
      if (!(sx >= 1 && sy >= 1 && sx < w - 2 && sy < ht - 2)) {
        if (sx > -1 && sy > -1 && sx < w && sy < ht) out[pixel] = nearest(source, sx, sy);
        else {
          blurred ??= downscale(source, BLUR);
          out[pixel] = nearest(blurred, sx / BLUR, sy / BLUR);
        }
        continue;
      }
      // Rounds down: both are positive.
      const x0 = sx | 0;
      const y0 = sy | 0;
      let at = (y0 - 1) * w + x0 - 1;
      const column = (x0 - 1) >> CELL_BITS;
      const cell = ((y0 - 1) >> CELL_BITS) * cells.columns + column;
      const cellBelow = ((y0 + 2) >> CELL_BITS) * cells.columns + column;
      const end = ((column + Math.min(cells.runs[cell]!, cells.runs[cellBelow]!)) << CELL_BITS) - 2;
      if (sx < end && cells.values[cell] === cells.values[cellBelow]) {
        const value = data[at]!;
        out[pixel] = value;
        const steps = Math.min(
          width - u,
          stepsTo(end, nx, a, nw, g),
          stepsTo(-x0 - 0.5, -nx, -a, nw, g),
          stepsTo(y0 + 1.5, ny, d, nw, g),
          stepsTo(-y0 - 0.5, -ny, -d, nw, g),
        );
        for (let step = 1; step + 1 <= steps; step++, u++, nx += a, ny += d, nw += g) out[++pixel] = value;
        continue;
      }
      const wx = ((sx - x0) * STEPS) << 2;
      const wy = ((sy - y0) * STEPS) << 2;
      const wx0 = weights[wx]!;
      const wx1 = weights[wx + 1]!;
      const wx2 = weights[wx + 2]!;
      const wx3 = weights[wx + 3]!;
      let row = (wx0 * data[at]! + wx1 * data[at + 1]! + wx2 * data[at + 2]! + wx3 * data[at + 3]!) | 0;
      let sum = Math.imul(weights[wy]!, row);
      at += w;
      row = (wx0 * data[at]! + wx1 * data[at + 1]! + wx2 * data[at + 2]! + wx3 * data[at + 3]!) | 0;
      sum = (sum + Math.imul(weights[wy + 1]!, row)) | 0;
      at += w;
      row = (wx0 * data[at]! + wx1 * data[at + 1]! + wx2 * data[at + 2]! + wx3 * data[at + 3]!) | 0;
      sum = (sum + Math.imul(weights[wy + 2]!, row)) | 0;
      at += w;
      row = (wx0 * data[at]! + wx1 * data[at + 1]! + wx2 * data[at + 2]! + wx3 * data[at + 3]!) | 0;
      sum = (sum + Math.imul(weights[wy + 3]!, row)) | 0;
      sum = (sum + HALF) >> (2 * WEIGHT_BITS);
      out[pixel] = sum < 0 ? 0 : sum > 255 ? 255 : sum;
    }
  }
  return { width, height, data: out };
}

/** The number of steps until (n + a·steps) / (w + g·steps), which is less than `end`, reaches it. */
function stepsTo(end: number, n: number, a: number, w: number, g: number): number {
  const speed = a - end * g;
  return speed > 0 ? (end * w - n) / speed : Number.POSITIVE_INFINITY;
}

/**
 * Squares of one value, most of a clean scan. `runs` has the number of successive ones with that value, from each to the
 * right; 0 at the right and bottom edges.
 */
function findUniformCells({ width, height, data }: GrayImage) {
  const size = 1 << CELL_BITS;
  const columns = (width >> CELL_BITS) + 1;
  const rows = (height >> CELL_BITS) + 1;
  const runs = new Uint16Array(columns * rows);
  const values = new Uint8Array(columns * rows);
  const view = new DataView(data.buffer, data.byteOffset, data.length);
  for (let row = 0; row < rows - 1; row++) {
    for (let column = columns - 2; column >= 0; column--) {
      const cell = row * columns + column;
      const from = (row * width + column) * size;
      const value = data[from]!;
      const four = Math.imul(value, 0x01010101);
      let line = from;
      const below = from + size * width;
      while (line < below && view.getInt32(line) === four && view.getInt32(line + 4) === four) line += width;
      if (line < below) continue;
      values[cell] = value;
      runs[cell] = values[cell + 1] === value ? runs[cell + 1]! + 1 : 1;
    }
  }
  return { columns, runs, values };
}

function nearest({ width, height, data }: GrayImage, x: number, y: number): number {
  const column = Math.min(width - 1, Math.max(0, Math.round(x)));
  const row = Math.min(height - 1, Math.max(0, Math.round(y)));
  return data[row * width + column]!;
}

const STEPS = 64;
/** Squares of 8 × 8 pixels. */
const CELL_BITS = 3;
const BLUR = 16;

/** Fixed-point precision of the weights: integers are faster. Sums of 16 products stay below 2^31. */
const WEIGHT_BITS = 10;
const HALF = 1 << (2 * WEIGHT_BITS - 1);
const WEIGHTS = cubicWeights();

function cubicWeights(): Int32Array {
  const weights = new Int32Array(STEPS * 4);
  const one = 1 << WEIGHT_BITS;
  for (let step = 0; step < STEPS; step++) {
    const t = step / STEPS;
    const first = Math.round(one * 0.5 * (-t + 2 * t * t - t * t * t));
    const second = Math.round(one * 0.5 * (2 - 5 * t * t + 3 * t * t * t));
    const last = Math.round(one * 0.5 * (-t * t + t * t * t));
    weights.set([first, second, one - first - second - last, last], step * 4);
  }
  return weights;
}
