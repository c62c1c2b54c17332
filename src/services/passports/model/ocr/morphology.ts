import type { GrayImage } from './grayscale.ts';

/** Of the rectangle of pixels around a pixel. */
export interface Radii {
  readonly across: number;
  readonly down: number;
}

/** Gives each pixel the largest value within the radii. */
export function dilate({ width, height, data }: GrayImage, { across, down }: Radii): GrayImage {
  const rows = new Uint8Array(data.length);
  const line = new Uint8Array(width + 2 * across);
  for (let y = 0; y < height; y++) {
    line.set(data.subarray(y * width, (y + 1) * width), across);
    raiseToLargest(line, 2 * across + 1, 1);
    rows.set(line.subarray(0, width), y * width);
    line.fill(0);
  }
  const padded = new Uint8Array((height + 2 * down) * width);
  padded.set(rows, down * width);
  raiseToLargest(padded, 2 * down + 1, width);
  return { width, height, data: padded.subarray(0, rows.length) };
}

/**
 * Replaces each value by the largest of `count` values, from it on, that are `step` apart. The windows double until they have
 * `count` values. Branch-free, because half of the branches would be mispredicted.
 */
function raiseToLargest(values: Uint8Array, count: number, step: number): void {
  for (let size = 1; size < count; ) {
    const by = Math.min(size, count - size);
    const distance = by * step;
    for (let at = 0, other = distance; other < values.length; at++, other++) {
      const value = values[at]!;
      const less = value - values[other]!;
      values[at] = value - (less & (less >> 31));
    }
    size += by;
  }
}

/** Gives each pixel the smallest value within the radii. */
export const erode = (image: GrayImage, radii: Radii): GrayImage => inverted(dilate(inverted(image), radii));

function inverted({ width, height, data }: GrayImage): GrayImage {
  const result = new Uint8Array(data.length);
  for (let pixel = 0; pixel < data.length; pixel++) result[pixel] = 255 - data[pixel]!;
  return { width, height, data: result };
}
