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
  const isUniform = findUniform(source);
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
      if (isUniform[at]) {
        out[pixel] = data[at]!;
        continue;
      }
      const wx = ((sx - x0) * STEPS) << 2;
      const wy = ((sy - y0) * STEPS) << 2;
      const wx0 = weights[wx]!;
      const wx1 = weights[wx + 1]!;
      const wx2 = weights[wx + 2]!;
      const wx3 = weights[wx + 3]!;
      let sum = weights[wy]! * (wx0 * data[at]! + wx1 * data[at + 1]! + wx2 * data[at + 2]! + wx3 * data[at + 3]!);
      at += w;
      sum += weights[wy + 1]! * (wx0 * data[at]! + wx1 * data[at + 1]! + wx2 * data[at + 2]! + wx3 * data[at + 3]!);
      at += w;
      sum += weights[wy + 2]! * (wx0 * data[at]! + wx1 * data[at + 1]! + wx2 * data[at + 2]! + wx3 * data[at + 3]!);
      at += w;
      sum += weights[wy + 3]! * (wx0 * data[at]! + wx1 * data[at + 1]! + wx2 * data[at + 2]! + wx3 * data[at + 3]!);
      out[pixel] = sum < 0 ? 0 : sum > 255 ? 255 : sum + 0.5;
    }
  }
  return { width, height, data: out };
}

/** 1 where the square of 4 × 4 pixels to the right and below has one value, as most of a clean scan. */
function findUniform({ width, height, data }: GrayImage): Uint8Array {
  const found = new Uint8Array(data.length);
  // Rows, from this one on, whose four pixels have one value.
  const rows = new Uint8Array(width);
  for (let y = height - 1; y >= 0; y--) {
    let run = 0;
    for (let x = width - 1, at = y * width + x; x >= 0; x--, at--) {
      const value = data[at]!;
      run = x + 1 < width && data[at + 1] === value ? run + 1 : 1;
      if (run < 4) rows[x] = 0;
      else rows[x] = rows[x]! > 0 && data[at + width] === value ? rows[x]! + 1 : 1;
      if (rows[x]! >= 4) {
        found[at] = 1;
        rows[x] = 4;
      }
    }
  }
  return found;
}

function nearest({ width, height, data }: GrayImage, x: number, y: number): number {
  const column = Math.min(width - 1, Math.max(0, Math.round(x)));
  const row = Math.min(height - 1, Math.max(0, Math.round(y)));
  return data[row * width + column]!;
}

const STEPS = 64;
const BLUR = 16;

const WEIGHTS = cubicWeights();

function cubicWeights(): Float32Array {
  const weights = new Float32Array(STEPS * 4);
  for (let step = 0; step < STEPS; step++) {
    const t = step / STEPS;
    weights[step * 4] = 0.5 * (-t + 2 * t * t - t * t * t);
    weights[step * 4 + 1] = 0.5 * (2 - 5 * t * t + 3 * t * t * t);
    weights[step * 4 + 2] = 0.5 * (t + 4 * t * t - 3 * t * t * t);
    weights[step * 4 + 3] = 0.5 * (-t * t + t * t * t);
  }
  return weights;
}
