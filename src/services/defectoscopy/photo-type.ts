import { sniffImage } from '../../base/sniff.ts';
import { IMAGE_MAX_BYTES } from './url-policy.ts';

/** The files that the service processes. */
export const PHOTOS = {
  maxBytes: IMAGE_MAX_BYTES,
  sniff: sniffImage,
  expected: 'an image (JPEG, PNG, WebP, TIFF, GIF, AVIF or HEIC)',
};
