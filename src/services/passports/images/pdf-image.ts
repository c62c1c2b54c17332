import sharp from 'sharp';
import { sniffImage } from '../../../base/sniff.ts';
import { decodeHeic } from '../../../ml/heic.ts';
import { MAX_PIXELS, PhotoError, READS_HEVC } from '../../../ml/image.ts';
import { stripVideo } from '../../../ml/strip-video.ts';
import { stripJpegMetadata } from './jpeg.ts';

export interface PdfImage {
  /** Before `orientation` is applied. */
  readonly width: number;
  readonly height: number;
  /** EXIF orientation, 1..8. */
  readonly orientation: number;
  /** Encoding entries of the image dictionary. */
  readonly dictionaryEntries: string;
  readonly chunks: readonly Buffer[];
}

/** Embeds JPEG unchanged, PNG and TIFF losslessly unless photos, others as JPEG. Throws {@link PhotoRejected}. */
export async function encodePdfImage(file: Buffer): Promise<PdfImage> {
  const type = sniffImage(file.subarray(0, 4096));
  if (type === undefined) throw new PhotoError('unsupported');
  const still = type === 'image/heic' ? stripVideo(file) : file;
  if (type === 'image/heic' && !READS_HEVC) return fromHeic(still);
  const { orientation = 1, channels = 3 } = await sharp(still).metadata().catch(corrupt);
  const jpeg = type === 'image/jpeg' ? stripJpegMetadata(file) : undefined;
  if (jpeg) return { ...jpeg, orientation, dictionaryEntries: jpegEntries(jpeg) };
  const image = sharp(still, { limitInputPixels: MAX_PIXELS, failOn: 'error' }).flatten({ background: 'white' });
  const grey = channels <= 2;
  const opaque = image.toColourspace(grey ? 'b-w' : 'srgb');
  if (type === 'image/png' || type === 'image/tiff') {
    const png = await opaque.clone().png({ compressionLevel: 7, adaptiveFiltering: true }).toBuffer().catch(corrupt);
    if (png.length <= Math.max(2 * file.length, SMALL_BYTES)) return { ...fromPng(png, grey ? 1 : 3), orientation };
  }
  return { ...fromJpeg(await opaque.jpeg(JPEG).toBuffer().catch(corrupt)), orientation };
}

const JPEG = { quality: 92, chromaSubsampling: '4:4:4' } as const;
const SMALL_BYTES = 4 * 2 ** 20;
const DECODE_MS = 20_000;

/** The decoder applies the orientation. */
async function fromHeic(file: Buffer): Promise<PdfImage> {
  const heic = await decodeHeic(file, { maxPixels: MAX_PIXELS, limitMs: DECODE_MS });
  if ('problem' in heic) throw new PhotoError(heic.problem);
  const { rgba, width, height } = heic;
  const image = sharp(rgba, { raw: { width, height, channels: 4 } }).flatten({ background: 'white' });
  return { ...fromJpeg(await image.jpeg(JPEG).toBuffer()), orientation: 1 };
}

function fromJpeg(file: Buffer): Omit<PdfImage, 'orientation'> {
  const jpeg = stripJpegMetadata(file);
  if (!jpeg) throw new PhotoError('corrupt');
  return { ...jpeg, dictionaryEntries: jpegEntries(jpeg) };
}

const COLOURS = { 1: '/DeviceGray', 3: '/DeviceRGB', 4: '/DeviceCMYK' } as const;

function jpegEntries({ components, inverted }: { components: 1 | 3 | 4; inverted: boolean }): string {
  const decode = inverted ? ' /Decode [1 0 1 0 1 0 1 0]' : '';
  return `/Filter /DCTDecode /ColorSpace ${COLOURS[components]} /BitsPerComponent 8${decode}`;
}

/** PNG rows are valid Flate data with PNG predictors (ISO 32000-1, 7.4.4.4). */
function fromPng(png: Buffer, colours: 1 | 3): Omit<PdfImage, 'orientation'> {
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const chunks: Buffer[] = [];
  for (let at = 8; at + 8 <= png.length; at += 12 + png.readUInt32BE(at)) {
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      chunks.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  }
  const rows = `/Predictor 15 /Colors ${colours} /BitsPerComponent 8 /Columns ${width}`;
  return {
    width,
    height,
    dictionaryEntries: `/Filter /FlateDecode /DecodeParms << ${rows} >> /ColorSpace ${COLOURS[colours]} /BitsPerComponent 8`,
    chunks,
  };
}

function corrupt(error: unknown): never {
  throw new PhotoError('corrupt', error);
}
