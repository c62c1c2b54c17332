import sharp from 'sharp';
import { decodePhoto } from '../../../ml/image.ts';
import type { Turn } from '../page-geometry.ts';

/** Creates a JPEG of at most `side` pixels; `rotation` is clockwise. Throws `PhotoRejected`. */
export async function createPreview(file: Buffer, { side, rotation }: { side: number; rotation: Turn }) {
  // The aspect ratio is known only after decoding.
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
