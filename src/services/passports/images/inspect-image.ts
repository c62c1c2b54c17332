import { sniffImage } from '../../../base/sniff.ts';
import { decodePhoto, PhotoError } from '../../../ml/image.ts';

const MAX_IMAGE_BYTES = 20 * 2 ** 20;

/**
 * Validates an image by decoding it: a JPEG at 1/8 size (tens of ms), a HEIC in full (seconds). Width and height are
 * after EXIF orientation.
 */
export async function inspectImage(file: Buffer) {
  if (file.length > MAX_IMAGE_BYTES) return { problem: 'too_large' as const };
  const contentType = sniffImage(file.subarray(0, 4096));
  if (contentType === undefined || contentType === 'image/gif' || contentType === 'image/avif') {
    return { problem: 'unsupported' as const };
  }
  try {
    const { width, height } = await decodePhoto(file, { width: 64, height: 64 });
    return { width, height, contentType };
  } catch (error) {
    if (error instanceof PhotoError) return { problem: error.problem };
    throw error;
  }
}
