import sharp from 'sharp';
import type { Box, Turn } from '../../page.ts';

/** A piece of a page's picture: small enough to stand beside a value. */
export interface Strip {
  /** A JPEG. */
  readonly bytes: Buffer;
  readonly width: number;
  readonly height: number;
}

/**
 * Cuts the places of some values out of the picture of their page, each with a little of what is around it and turned by
 * `turn` to stand upright. The picture is decoded once.
 */
export async function stripsOf(picture: Buffer, boxes: readonly Box[], turn: Turn): Promise<Strip[]> {
  const { data, info } = await sharp(picture).raw().toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  const strips: Strip[] = [];
  for (const box of boxes) {
    const piece = sharp(data, { raw: { width, height, channels } }).extract(around(box, { width, height }, turn));
    const upright = await piece.rotate(turn).jpeg({ quality: 75 }).toBuffer({ resolveWithObject: true });
    strips.push({ bytes: upright.data, width: upright.info.width, height: upright.info.height });
  }
  return strips;
}

/** The place in pixels, with half a line more above and below and a word more at both ends: who looks wants to see where. */
function around([x0, y0, x1, y1]: Box, { width, height }: { width: number; height: number }, turn: Turn) {
  const lying = turn % 180 !== 0;
  const line = lying ? (x1 - x0) * width : (y1 - y0) * height;
  // A value of several lines needs no more around it than one of one line.
  const pad = Math.min(Math.max(line * 0.5, 4), 24);
  const [across, down] = lying ? [pad, pad * 3] : [pad * 3, pad];
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
