import { downscale, type GrayImage } from './grayscale.ts';
import { dilate, erode } from './morphology.ts';

/** Makes paper white: removes shadows, tinted cells and stains wider than `maxStrokeWidth` pixels. */
export function flattenBackground(page: GrayImage, maxStrokeWidth: number): GrayImage {
  const { width, height, data } = page;
  const cell = Math.max(2, Math.round(maxStrokeWidth / 6));
  const paper = estimatePaper(page, cell);
  const gains = new Float32Array(paper.data).map((light) => 255 / light);
  const flat = new Uint8Array(data.length).fill(255);
  const left = new Uint16Array(width);
  const share = new Float32Array(width);
  for (let x = 0; x < width; x++) [left[x], share[x]] = cellPosition(x, cell, paper.width);
  const across = new Float32Array(paper.width + 1);
  for (let y = 0; y < height; y++) {
    const [top, down] = cellPosition(y, cell, paper.height);
    const below = Math.min(paper.height - 1, top + 1);
    for (let column = 0; column < paper.width; column++) {
      const above = gains[top * paper.width + column]!;
      across[column] = above + (gains[below * paper.width + column]! - above) * down;
    }
    for (let x = 0, pixel = y * width; x < width; x++, pixel++) {
      const light = data[pixel]!;
      if (light === 255) continue;
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
  const smooth = blur(blur(closed, 2), 2);
  // The minimum avoids a division by nearly zero in dark areas.
  return { ...smooth, data: smooth.data.map((light) => Math.max(24, light)) };
}

function blur(grey: GrayImage, radius: number): GrayImage {
  return alongBoth(grey, (line, out) => {
    for (let i = 0; i < line.length; i++) {
      const start = Math.max(0, i - radius);
      const end = Math.min(line.length - 1, i + radius);
      let sum = 0;
      for (let j = start; j <= end; j++) sum += line[j]!;
      out[i] = sum / (end - start + 1);
    }
  });
}

/** Filters all rows, then all columns. */
function alongBoth({ width, height, data }: GrayImage, pass: (line: Uint8Array, out: Uint8Array) => void): GrayImage {
  const rows = new Uint8Array(data.length);
  for (let y = 0; y < height; y++)
    pass(data.subarray(y * width, (y + 1) * width), rows.subarray(y * width, (y + 1) * width));
  const result = new Uint8Array(data.length);
  const column = new Uint8Array(height);
  const out = new Uint8Array(height);
  for (let x = 0; x < width; x++) {
    for (let y = 0; y < height; y++) column[y] = rows[y * width + x]!;
    pass(column, out);
    for (let y = 0; y < height; y++) result[y * width + x] = out[y]!;
  }
  return { width, height, data: result };
}
