import type { Failure } from '../../tasks/task.ts';

/** Why a photo could not be classified: a closed table. Sentences name no address and no internal. */
const failure = (code: string, sentence: string): Failure => ({ code, sentence });

export const FAILURES = {
  fetchFailed: failure('IMAGE_FETCH_FAILED', 'The image could not be downloaded from its storage.'),
  notFound: failure('IMAGE_NOT_FOUND', 'There is no image at this address.'),
  tooLarge: failure('IMAGE_TOO_LARGE', 'The image is larger than the limit (20 MiB, 50 megapixels).'),
  unsupported: failure(
    'IMAGE_UNSUPPORTED',
    'The file is not an image of a supported format (JPEG, PNG, WebP, TIFF, GIF, AVIF, HEIC).',
  ),
  // HEIC is on the list of formats, so the sentence for the rest of the world would be a riddle here.
  noHevc: failure('IMAGE_UNSUPPORTED', 'The image is HEIC, which this installation cannot decode; send it as JPEG.'),
  corrupt: failure('IMAGE_CORRUPT', 'The image is damaged or incomplete.'),
  blocked: failure('IMAGE_BLOCKED', 'The address of the image leads to a place that may not be reached.'),
  decodingTooSlow: failure('INFERENCE_TIMEOUT', 'Decoding the image took too long.'),
  unknownModel: failure('INFERENCE_FAILED', 'The model version that was asked for is no longer installed.'),
} as const;
