import sharp from 'sharp';
import { decodePhoto } from '../../../../ml/image.ts';

/**
 * A small picture of an uploaded image for lists, a JPEG of at most `side` pixels: upright by EXIF, then turned clockwise
 * by `rotation`. Throws `PhotoRefused`.
 */
export async function previewOf(
  file: Buffer,
  { side, rotation }: { side: number; rotation: 0 | 90 | 180 | 270 },
): Promise<Buffer> {
  // Its shape is known once it is decoded: squashed into a square first, then into shape.
  const { pixels, width, height } = await decodePhoto(file, { width: side, height: side });
  const scale = Math.min(1, side / Math.max(width, height));
  const shape = await sharp(pixels, { raw: { width: side, height: side, channels: 3 } })
    .resize(Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale)), { fit: 'fill' })
    .raw()
    .toBuffer({ resolveWithObject: true });
  return sharp(shape.data, { raw: { width: shape.info.width, height: shape.info.height, channels: 3 } })
    .rotate(rotation)
    .jpeg({ quality: 80 })
    .toBuffer();
}
