import { sniffImage } from '../../../base/sniff.ts';
import { decodePhoto, PhotoError } from '../../../ml/image.ts';

/** Width and height are after EXIF orientation. */
export interface InspectedImage {
  readonly width: number;
  readonly height: number;
  readonly contentType: PageImageType;
}

export type PageImageType = 'image/jpeg' | 'image/png' | 'image/webp' | 'image/tiff' | 'image/heic';

export type ImageProblem = 'unsupported' | 'no_hevc' | 'corrupt' | 'too_large' | 'too_slow';

export const MAX_IMAGE_BYTES = 20 * 2 ** 20;

/** Validates an image by decoding it: a JPEG at 1/8 size (tens of ms), a HEIC in full (seconds). Throws the signal's reason. */
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
    if (error instanceof PhotoError) return { problem: error.problem };
    throw error;
  }
}
