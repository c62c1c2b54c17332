import { sniffImage } from '../../../../base/sniff.ts';
import { decodePhoto, PhotoRefused } from '../../../../ml/image.ts';

/** What an image is that may become a page; width and height are those that EXIF makes them. */
export interface InspectedImage {
  readonly width: number;
  readonly height: number;
  readonly contentType: PageImageType;
}

export type PageImageType = 'image/jpeg' | 'image/png' | 'image/webp' | 'image/tiff' | 'image/heic';

/** Why an image does not: `unsupported` is for the caller's "wrong type", `too_large` for "too large", the rest are bad files. */
export type ImageProblem = 'unsupported' | 'no_hevc' | 'corrupt' | 'too_large' | 'too_slow';

export const MAX_IMAGE_BYTES = 20 * 2 ** 20;

/**
 * Looks at an uploaded image: its kind by its first bytes, its size, and whether it can be decoded to the end (a JPEG at
 * an eighth of its size, which costs some tens of milliseconds; a HEIC in full, some seconds). Up to 20 MiB and 50
 * megapixels. Throws only the signal's reason.
 */
export async function inspectImage(
  file: Buffer,
  { signal }: { signal?: AbortSignal } = {},
): Promise<InspectedImage | { readonly problem: ImageProblem }> {
  if (file.length > MAX_IMAGE_BYTES) return { problem: 'too_large' };
  const contentType = sniffImage(file.subarray(0, 4096));
  if (contentType === undefined || contentType === 'image/gif' || contentType === 'image/avif') {
    return { problem: 'unsupported' };
  }
  try {
    const { width, height } = await decodePhoto(file, { width: 64, height: 64 }, signal);
    return { width, height, contentType };
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof PhotoRefused) return { problem: error.problem };
    throw error;
  }
}
