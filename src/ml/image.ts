import sharp, { type Metadata, type Sharp } from 'sharp';
import { sniffImage } from '../base/sniff.ts';
import { createGate } from './gate.ts';
import { decodeHeic } from './heic.ts';
import type { HeicProblem } from './heic-thread.ts';
import { hasManyPasses } from './many-passes.ts';
import { withoutFilm } from './without-film.ts';

/** A photo as a network takes it. */
export interface Photo {
  /**
   * 8-bit sRGB, upright, row by row: [height, width, 3] of the size that was asked for. In memory of its own, so that it
   * can be given to another thread.
   */
  readonly pixels: Uint8Array;
  /** Size of the upright original, in pixels. */
  readonly width: number;
  readonly height: number;
}

export type PhotoProblem = 'unsupported' | HeicProblem;

/** Why bytes did not become a photo; nothing in it comes from the bytes themselves. */
export class PhotoRefused extends Error {
  override readonly name = 'PhotoRefused';
  readonly problem: PhotoProblem;

  constructor(problem: PhotoProblem, cause?: unknown) {
    super(SENTENCES[problem], cause === undefined ? {} : { cause });
    this.problem = problem;
  }
}

const SENTENCES: Record<PhotoProblem, string> = {
  unsupported: 'The bytes are not an image of a supported format.',
  no_hevc: 'The image is HEIC, for which no decoder is installed.',
  corrupt: 'The image is damaged or incomplete.',
  too_large: 'The image has too many pixels.',
  too_slow: 'Decoding the image took too long.',
};

/** A phone's 48 megapixels must pass. */
export const MAX_PIXELS = 50e6;
// What a stranger's file may cost. A second of decoding is already rare; this much is an attack or a machine in need.
const DECODE_SECONDS = 20;
// A progressive JPEG or an interlaced PNG is held whole while it is decoded: about 6 bytes for each pixel. Photos above
// this size take turns, so that many at once cost no more memory than one.
const LARGE_PIXELS = 16e6;
const large = createGate(1);

/**
 * The photo, upright and squashed to `width` × `height`: the whole of it, so that a place in the result is a place on
 * the photo. Takes the first frame, whatever the colour space, depth or number of channels; what is transparent becomes
 * white. Throws {@link PhotoRefused} for anything that is not a whole picture within the limits. `size` may depend on
 * that of the upright original.
 */
export async function decodePhoto(
  bytes: Uint8Array,
  size: Size | ((original: Size) => Size),
  signal?: AbortSignal,
): Promise<Photo> {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const type = sniffImage(file.subarray(0, 4096));
  if (!type) throw new PhotoRefused('unsupported');
  if (hasManyPasses(type, file)) throw new PhotoRefused('too_slow');
  const still = type === 'image/avif' || type === 'image/heic' ? withoutFilm(file) : file;
  const sizeFor = typeof size === 'function' ? size : () => size;
  if (type === 'image/heic' && !READS_HEVC) return decodePhoneHeic(still, sizeFor, signal);
  const about = await sharp(still, { limitInputPixels: false }).metadata().catch(refuse);
  const pixels = about.width * about.height;
  if (pixels > MAX_PIXELS) throw new PhotoRefused('too_large');
  // Warnings are common in files from phones; errors and missing bytes are not forgiven.
  const image = sharp(still, { limitInputPixels: MAX_PIXELS, failOn: 'error' });
  const decode = async () => {
    // Its turn may come when nobody waits for it any more.
    signal?.throwIfAborted();
    return squash(image, sizeFor(upright(about)), about.orientation).catch(refuse);
  };
  return { pixels: await (pixels > LARGE_PIXELS ? large(decode) : decode()), ...upright(about) };
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Decoded elsewhere, and upright already; from there on like any other. */
async function decodePhoneHeic(
  bytes: Uint8Array,
  sizeFor: (original: Size) => Size,
  signal?: AbortSignal,
): Promise<Photo> {
  const heic = await decodeHeic(bytes, { maxPixels: MAX_PIXELS, limitMs: DECODE_SECONDS * 1000, signal });
  if ('problem' in heic) throw new PhotoRefused(heic.problem);
  const { rgba, width, height } = heic;
  const raw = sharp(rgba, { raw: { width, height, channels: 4 } });
  const pixels = await squash(raw, sizeFor({ width, height })).catch(refuse);
  return { pixels, width, height };
}

async function squash(image: Sharp, { width, height }: Size, orientation = 1): Promise<Uint8Array> {
  const turned = orientation > 4;
  const small = image
    .resize(turned ? height : width, turned ? width : height, { fit: 'fill', kernel: 'lanczos3' })
    .flatten({ background: 'white' })
    .toColourspace('srgb')
    .timeout({ seconds: DECODE_SECONDS });
  const { data } = await turnUpright(small, orientation).raw().toUint8Array();
  return data;
}

/** Small pixels are turned, not the large ones: sharp's own `autoOrient` would first hold the whole photo in memory. */
function turnUpright(image: Sharp, orientation: number): Sharp {
  switch (orientation) {
    case 2:
      return image.flop();
    case 3:
      return image.rotate(180);
    case 4:
      return image.flip();
    case 5:
      return image.flip().rotate(90);
    case 6:
      return image.rotate(90);
    case 7:
      return image.flop().rotate(90);
    case 8:
      return image.rotate(270);
    default:
      return image;
  }
}

const upright = ({ width, height, orientation = 1 }: Metadata) =>
  orientation > 4 ? { width: height, height: width } : { width, height };

function refuse(error: unknown): never {
  const message = error instanceof Error ? error.message : '';
  if (/pixel limit/i.test(message)) throw new PhotoRefused('too_large', error);
  if (/^timeout/i.test(message)) throw new PhotoRefused('too_slow', error);
  throw new PhotoRefused('corrupt', error);
}

// One photo is one thread's work, and photos come several at a time; no two of them are alike, so nothing is cached.
sharp.concurrency(1);
sharp.cache(false);
// Only these decoders ever run in this process: not those for SVG, PDF and others, which do far more than decode.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: ['Jpeg', 'Png', 'Webp', 'Tiff', 'Nsgif', 'Heif'].map((kind) => `VipsForeignLoad${kind}`) });

// The library inside sharp's package has no HEVC decoder (patents); one that the machine brings may have it, and is
// faster than ours.
export const READS_HEVC = sharp.format.heif.input.fileSuffix?.includes('.heic') ?? false;
