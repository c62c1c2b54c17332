import sharp from 'sharp';
import type { Box, Turn } from '../page-geometry.ts';

/** Crops boxes out of a page picture as JPEG, with a margin, rotated clockwise by `turn`. */
export async function cropBoxes(picture: Buffer, boxes: readonly Box[], turn: Turn) {
  const { data, info } = await sharp(picture).raw().toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  const strips: { bytes: Buffer; width: number; height: number }[] = [];
  for (const box of boxes) {
    const piece = sharp(data, { raw: { width, height, channels } }).extract(addMargin(box, { width, height }, turn));
    const upright = await piece.rotate(turn).jpeg({ quality: 75 }).toBuffer({ resolveWithObject: true });
    strips.push({ bytes: upright.data, width: upright.info.width, height: upright.info.height });
  }
  return strips;
}

/** The box in pixels, with half a line above and below and a word at both ends. */
function addMargin([x0, y0, x1, y1]: Box, { width, height }: { width: number; height: number }, turn: Turn) {
  const isSideways = turn % 180 !== 0;
  const line = isSideways ? (x1 - x0) * width : (y1 - y0) * height;
  // For values of several lines.
  const pad = Math.min(Math.max(line * 0.5, 4), 24);
  const [across, down] = isSideways ? [pad, pad * 3] : [pad * 3, pad];
  const left = Math.max(0, Math.floor(x0 * width - across));
  const top = Math.max(0, Math.floor(y0 * height - down));
  const right = Math.min(width, Math.ceil(x1 * width + across));
  const bottom = Math.min(height, Math.ceil(y1 * height + down));
  const [safeLeft, safeTop] = [Math.min(left, width - 1), Math.min(top, height - 1)];
  return {
    left: safeLeft,
    top: safeTop,
    width: Math.max(1, right - safeLeft),
    height: Math.max(1, bottom - safeTop),
  };
}
