import { readFileSync } from 'node:fs';

/**
 * A HEIC file with the structure of phone photos: four 64 × 64 HEVC tiles in a grid of 128 × 96 that `irot` turns by
 * 90° clockwise. The EXIF orientation repeats the turn and must be ignored. A green image precedes the primary one.
 * Upright 96 × 128: blue with a red upper right quarter. The images were generated and encoded with heif-enc (libheif,
 * x265); the boxes were written by hand.
 */
export const phoneHeic = (): Buffer => readFileSync(new URL('./phone.heic', import.meta.url));
