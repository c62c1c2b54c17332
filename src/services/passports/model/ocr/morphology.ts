import type { GrayImage } from './grayscale.ts';

/** Of the rectangle of pixels around a pixel. */
export interface Radii {
  readonly across: number;
  readonly down: number;
}

/** Gives each pixel the largest value within the radii. */
export function dilate({ width, height, data }: GrayImage, { across, down }: Radii): GrayImage {
  const rows = new Uint8Array(data);
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
  const result = new Uint8Array(rows);
  for (let by = 1; by <= down; by++) {
    for (let at = by * width, other = 0; at < rows.length; at++, other++) {
      const [above, below] = [rows[other]!, rows[at]!];
      if (above > result[at]!) result[at] = above;
      if (below > result[other]!) result[other] = below;
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
