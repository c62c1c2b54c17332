import type { Failure } from '../../tasks/task.ts';

/** Messages contain no URLs and no internal details. */
const failure = (code: string, message: string): Failure => ({ code, message });

export const FAILURES = {
  fetchFailed: failure('IMAGE_FETCH_FAILED', 'The image could not be downloaded.'),
  notFound: failure('IMAGE_NOT_FOUND', 'No image was found at this URL.'),
  tooLarge: failure('IMAGE_TOO_LARGE', 'The image is larger than the limit (20 MiB, 50 megapixels).'),
  unsupported: failure('IMAGE_UNSUPPORTED', 'Unsupported image format. Use JPEG, PNG, WebP, TIFF, GIF, AVIF or HEIC.'),
  // HEIC is a supported format, so the general message would mislead.
  noHevc: failure('IMAGE_UNSUPPORTED', 'This installation cannot decode HEIC images. Convert the image to JPEG.'),
  corrupt: failure('IMAGE_CORRUPT', 'The image is damaged or incomplete.'),
  blocked: failure('IMAGE_BLOCKED', 'The image URL is blocked.'),
  decodingTooSlow: failure('INFERENCE_TIMEOUT', 'Decoding the image took too long.'),
  unknownModel: failure('INFERENCE_FAILED', 'The requested model version is no longer installed.'),
} as const;
