import sharp from 'sharp';
import type { Raster, RasterSize } from './pdfium-render.ts';

/** In pixels: A4 at 137 dpi, enough for small print. */
const PICTURE_SIDE = 1600;
const POINTS_PER_INCH = 72;

/** The raster size of a page (in points) drawn only for display. */
export function pictureSize({ width, height }: { width: number; height: number }): RasterSize {
  const longestInches = Math.max(width, height, 1) / POINTS_PER_INCH;
  return { dpi: PICTURE_SIDE / longestInches, maxPixels: PICTURE_SIDE ** 2 };
}

/** Encodes a JPEG for display. */
export async function encodePicture(raster: Raster): Promise<Buffer> {
  const { width, height, channels, data } = raster;
  return sharp(data, { raw: { width, height, channels } })
    .resize(PICTURE_SIDE, PICTURE_SIDE, { fit: 'inside', withoutEnlargement: true })
    .jpeg({ quality: 80 })
    .toBuffer();
}
