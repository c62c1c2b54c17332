import { readFileSync } from 'node:fs';

/**
 * A HEIC file put together as phones do it: four HEVC tiles of 64 × 64 under a grid of 128 × 96 that the file turns by
 * 90° clockwise (`irot`); its EXIF says the same turn once more, which readers of HEIF must not follow; and in front of
 * the primary picture lies another one, all green. Upright it is 96 × 128: blue, with a red upper right quarter. The
 * pictures were drawn by a program and encoded by libheif's heif-enc with x265; the boxes around them were written by
 * hand.
 */
export const phoneHeic = (): Buffer => readFileSync(new URL('./phone.heic', import.meta.url));
