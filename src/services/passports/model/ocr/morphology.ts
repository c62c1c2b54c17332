import type { GrayImage } from './grayscale.ts';

/** Of the rectangle of pixels around a pixel. */
export interface Radii {
  readonly across: number;
  readonly down: number;
}

/** Gives each pixel the largest value within the radii. */
export function dilate({ width, height, data }: GrayImage, { across, down }: Radii): GrayImage {
  const rows = data.slice();
  for (let by = 1; by <= across; by++) {
    for (let y = 0; y < height; y++) {
      const end = (y + 1) * width;
      for (let at = y * width + by; at < end; at++) {
        const [left, right] = [data[at - by]!, data[at]!];
        if (left > rows[at]!) rows[at] = left;
        if (right > rows[at - by]!) rows[at - by] = right;
      }
    }
  }
  const result = rows.slice();
  for (let by = width; by <= down * width; by += width) {
    for (let at = by; at < rows.length; at++) {
      const [above, below] = [rows[at - by]!, rows[at]!];
      if (above > result[at]!) result[at] = above;
      if (below > result[at - by]!) result[at - by] = below;
    }
  }
  return { width, height, data: result };
}

/** Gives each pixel the smallest value within the radii. */
export const erode = (image: GrayImage, radii: Radii): GrayImage => inverted(dilate(inverted(image), radii));

const inverted = ({ width, height, data }: GrayImage): GrayImage => ({
  width,
  height,
  data: data.map((light) => 255 - light),
});
