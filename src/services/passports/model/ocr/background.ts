import { downscale, type GrayImage, WHITE } from './grayscale.ts';
import { dilate, erode } from './morphology.ts';

/** Makes paper white: removes shadows, tinted cells and stains wider than `maxStrokeWidth` pixels. */
export function flattenBackground(page: GrayImage, maxStrokeWidth: number): GrayImage {
  const { width, height, data } = page;
  const cell = Math.max(2, Math.round(maxStrokeWidth / 6));
  const paper = estimatePaper(page, cell);
  const gains = gainsOf(paper);
  const flat = new Uint8Array(data.length).fill(255);
  const left = new Uint16Array(width);
  const share = new Float32Array(width);
  for (let x = 0; x < width; x++) [left[x], share[x]] = cellPosition(x, cell, paper.width);
  const across = new Float32Array(paper.width + 1);
  const view = new DataView(data.buffer, data.byteOffset, data.length);
  for (let y = 0; y < height; y++) {
    const [top, down] = cellPosition(y, cell, paper.height);
    const below = Math.min(paper.height - 1, top + 1);
    for (let column = 0; column < paper.width; column++) {
      const above = gains[top * paper.width + column]!;
      across[column] = above + (gains[below * paper.width + column]! - above) * down;
    }
    for (let x = 0, pixel = y * width; x < width; x++, pixel++) {
      const light = data[pixel]!;
      if (light === 255) {
        for (; x + 4 < width && view.getInt32(pixel + 1) === WHITE; x += 4) pixel += 4;
        continue;
      }
      const gain = across[left[x]!]!;
      const value = light * (gain + (across[left[x]! + 1]! - gain) * share[x]!);
      if (value < 255) flat[pixel] = value;
    }
  }
  return { width, height, data: flat };
}

/** The last cell whose centre is before the pixel, and the fraction of the way to the next centre. */
function cellPosition(pixel: number, cell: number, cells: number): [cell: number, share: number] {
  const at = Math.min(cells - 1, Math.max(0, (pixel + 0.5) / cell - 0.5));
  const before = Math.max(0, Math.min(cells - 2, Math.floor(at)));
  return [before, at - before];
}

const REACH = { across: 3, down: 3 };

/** Estimates paper brightness per cell: a morphological closing, then a blur. */
function estimatePaper(page: GrayImage, cell: number): GrayImage {
  const small = downscale(page, cell);
  // At least one of 7 adjacent cells shows paper between the letters.
  const closed = erode(dilate(small, REACH), REACH);
  return blur(blur(closed, 2), 2);
}

/** The gain per cell that makes paper white. The minimum avoids a division by nearly zero in dark areas. */
function gainsOf({ data }: GrayImage): Float32Array {
  const gains = new Float32Array(data.length);
  for (let cell = 0; cell < data.length; cell++) gains[cell] = 255 / Math.max(24, data[cell]!);
  return gains;
}

function blur({ width, height, data }: GrayImage, radius: number): GrayImage {
  const rows = new Uint8Array(data.length);
  for (let y = 0; y < height; y++) averageAlong(data, rows, { from: y * width, step: 1, count: width, radius });
  const result = new Uint8Array(data.length);
  for (let x = 0; x < width; x++) averageAlong(rows, result, { from: x, step: width, count: height, radius });
  return { width, height, data: result };
}

interface Line {
  readonly from: number;
  readonly step: number;
  readonly count: number;
  readonly radius: number;
}

/** The running mean along a row or a column. */
function averageAlong(source: Uint8Array, target: Uint8Array, { from, step, count, radius }: Line): void {
  let sum = 0;
  for (let i = 0; i < Math.min(count, radius); i++) sum += source[from + i * step]!;
  for (let i = 0, at = from; i < count; i++, at += step) {
    if (i + radius < count) sum += source[at + radius * step]!;
    if (i > radius) sum -= source[at - (radius + 1) * step]!;
    target[at] = sum / (Math.min(count - 1, i + radius) - Math.max(0, i - radius) + 1);
  }
}
