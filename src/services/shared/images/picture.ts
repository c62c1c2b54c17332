import sharp from 'sharp';
import { decodePhoto, PhotoError } from '../../../ml/image.ts';
import { GREY_SIDE, THUMBNAIL_SIDE } from '../picture-features.ts';

export interface Picture {
  /** WebP, upright, sRGB, without metadata. */
  readonly bytes: Buffer;
  readonly width: number;
  readonly height: number;
  /** Like `bytes`, at most {@link THUMBNAIL_SIDE} pixels per side; undefined for a picture of that size. */
  readonly thumbnail: Buffer | undefined;
}

/** Longer side in pixels; smaller pictures are not enlarged. */
const MAX_SIDE = 1024;
const QUALITY = 80;

/** Undefined when the bytes are not an image that {@link decodePhoto} reads. */
export async function createPicture(bytes: Buffer, signal: AbortSignal): Promise<Picture | undefined> {
  const photo = await decodePhoto(bytes, fitSize, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    if (error instanceof PhotoError) return undefined;
    throw error;
  });
  if (photo === undefined) return undefined;
  const { width, height } = fitSize(photo);
  const picture = sharp(photo.pixels, { raw: { width, height, channels: 3 } }).webp({ quality: QUALITY });
  const isLarge = Math.max(width, height) > THUMBNAIL_SIDE;
  const small = { width: THUMBNAIL_SIDE, height: THUMBNAIL_SIDE, fit: 'inside' } as const;
  const thumbnail = isLarge ? await picture.clone().resize(small).toBuffer() : undefined;
  return { bytes: await picture.toBuffer(), width, height, thumbnail };
}

/** Stretched to `GREY_SIDE` squared. Undefined for a damaged picture. */
export const readGreyLevels = (picture: Buffer): Promise<Buffer | undefined> =>
  sharp(picture)
    .greyscale()
    .resize(GREY_SIDE, GREY_SIDE, { fit: 'fill', kernel: 'linear' })
    .raw()
    .toBuffer()
    .catch(() => undefined);

function fitSize({ width, height }: { width: number; height: number }) {
  const scale = Math.min(1, MAX_SIDE / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}
