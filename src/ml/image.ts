import pLimit from 'p-limit';
import sharp, { type Metadata, type Sharp } from 'sharp';
import { sniffImage } from '../base/sniff.ts';
import { isDecodeBomb } from './decode-bomb.ts';
import { exifOrientation } from './exif-orientation.ts';
import { decodeHeic } from './heic.ts';
import type { HeicProblem } from './heic-thread.ts';
import { stripVideo } from './strip-video.ts';

export interface Photo {
  /** Upright 8-bit sRGB, row-major [height, width, 3], in a buffer of its own that can be transferred to a thread. */
  readonly pixels: Uint8Array;
  readonly width: number;
  readonly height: number;
}

export type PhotoProblem = 'unsupported' | HeicProblem;

/** A rejected image. The message contains nothing from the file. */
export class PhotoError extends Error {
  override readonly name = 'PhotoError';
  readonly problem: PhotoProblem;

  constructor(problem: PhotoProblem, cause?: unknown) {
    super(MESSAGES[problem], cause === undefined ? {} : { cause });
    this.problem = problem;
  }
}

const MESSAGES: Record<PhotoProblem, string> = {
  unsupported: 'The file is not an image in a supported format.',
  no_hevc: 'The image is HEIC, and no HEIC decoder is installed.',
  corrupt: 'The image is damaged or incomplete.',
  too_large: 'The image has too many pixels.',
  too_slow: 'Decoding the image took too long.',
};

/** Allows the 48 megapixels of phone cameras. */
export const MAX_PIXELS = 50e6;
// Limit for hostile files and overloaded machines; normal photos take less than a second.
const DECODE_SECONDS = 20;
// Progressive JPEG and interlaced PNG are held in memory during decoding, about 6 bytes per pixel. Larger photos are
// decoded one at a time.
const LARGE_PIXELS = 16e6;
const largePhotos = pLimit(1);

/**
 * Decodes the first frame, upright and stretched to `width` × `height`, so that positions map linearly to the photo.
 * Accepts any colour space, depth and channel count; transparency becomes white. Throws {@link PhotoError}. `size` may
 * depend on the upright original's size.
 */
export async function decodePhoto(
  bytes: Uint8Array,
  size: Size | ((original: Size) => Size),
  signal?: AbortSignal,
): Promise<Photo> {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const type = sniffImage(file.subarray(0, 4096));
  if (!type) throw new PhotoError('unsupported');
  if (isDecodeBomb(type, file)) throw new PhotoError('too_slow');
  const still = type === 'image/avif' || type === 'image/heic' ? stripVideo(file) : file;
  const sizeFor = typeof size === 'function' ? size : () => size;
  if (type === 'image/heic' && !READS_HEVC) return decodePhoneHeic(still, sizeFor, signal);
  const metadata = await sharp(still, { limitInputPixels: false }).metadata().catch(rejectImage);
  const pixels = metadata.width * metadata.height;
  if (pixels > MAX_PIXELS) throw new PhotoError('too_large');
  const image = sharp(still, { limitInputPixels: MAX_PIXELS, failOn: 'error' });
  const decode = async () => {
    signal?.throwIfAborted();
    return resize(image, sizeFor(uprightSize(metadata)), metadata.orientation).catch(rejectImage);
  };
  return { pixels: await (pixels > LARGE_PIXELS ? largePhotos(decode) : decode()), ...uprightSize(metadata) };
}

interface Size {
  readonly width: number;
  readonly height: number;
}

async function decodePhoneHeic(
  bytes: Uint8Array,
  sizeFor: (original: Size) => Size,
  signal?: AbortSignal,
): Promise<Photo> {
  const heic = await decodeHeic(bytes, { maxPixels: MAX_PIXELS, limitMs: DECODE_SECONDS * 1000, signal });
  if ('problem' in heic) throw new PhotoError(heic.problem);
  const { rgba, width, height } = heic;
  const raw = sharp(rgba, { raw: { width, height, channels: 4 } });
  const pixels = await resize(raw, sizeFor({ width, height })).catch(rejectImage);
  return { pixels, width, height };
}

async function resize(image: Sharp, { width, height }: Size, orientation = 1): Promise<Uint8Array> {
  const isSideways = orientation > 4;
  const small = image
    .resize(isSideways ? height : width, isSideways ? width : height, { fit: 'fill', kernel: 'lanczos3' })
    .flatten({ background: 'white' })
    .toColourspace('srgb')
    .timeout({ seconds: DECODE_SECONDS });
  const { data } = await turnUpright(small, orientation).raw().toUint8Array();
  return data;
}

/** Rotates after resizing: sharp's `autoOrient` would hold the full-size photo in memory. */
function turnUpright(image: Sharp, orientation: number): Sharp {
  const { isMirrored, turn } = exifOrientation(orientation);
  return image.flop(isMirrored).rotate(turn);
}

const uprightSize = ({ width, height, orientation = 1 }: Metadata) =>
  orientation > 4 ? { width: height, height: width } : { width, height };

function rejectImage(error: unknown): never {
  const message = error instanceof Error ? error.message : '';
  if (/pixel limit/i.test(message)) throw new PhotoError('too_large', error);
  if (/^timeout/i.test(message)) throw new PhotoError('too_slow', error);
  throw new PhotoError('corrupt', error);
}

// One thread per photo, several photos in parallel. Photos do not repeat, so nothing is cached.
sharp.concurrency(1);
sharp.cache(false);
// Allows only these decoders in this process, not SVG, PDF and others with a larger attack surface.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: ['Jpeg', 'Png', 'Webp', 'Tiff', 'Nsgif', 'Heif'].map((kind) => `VipsForeignLoad${kind}`) });

// sharp's bundled libvips has no HEVC decoder (patents). A system libvips may have one, which is faster than ours.
export const READS_HEVC = sharp.format.heif.input.fileSuffix?.includes('.heic') ?? false;
