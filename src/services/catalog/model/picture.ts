import sharp from 'sharp';
import { decodePhoto, PhotoRefused } from '../../../ml/image.ts';

/** A picture as the catalog keeps it. */
export interface Picture {
  /** WebP, upright, sRGB, with nothing in it but pixels. */
  readonly bytes: Buffer;
  readonly width: number;
  readonly height: number;
}

/** The longer side of a kept picture, at most; smaller ones stay as they are. */
const LONGEST_SIDE = 1024;
const QUALITY = 80;

/**
 * The picture of an image in any format that {@link decodePhoto} reads, within its limits. Undefined where the bytes are
 * no such image, and never will be.
 */
export async function makePicture(bytes: Buffer, signal: AbortSignal): Promise<Picture | undefined> {
  const photo = await decodePhoto(bytes, fitted, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    if (error instanceof PhotoRefused) return undefined;
    throw error;
  });
  if (photo === undefined) return undefined;
  const { width, height } = fitted(photo);
  const webp = await sharp(photo.pixels, { raw: { width, height, channels: 3 } })
    .webp({ quality: QUALITY })
    .toBuffer();
  return { bytes: webp, width, height };
}

function fitted({ width, height }: { width: number; height: number }) {
  const scale = Math.min(1, LONGEST_SIDE / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}
