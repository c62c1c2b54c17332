/** Clockwise turns that make an image upright after mirroring, by EXIF orientation 1 to 8 (TIFF 6.0, tag 274). */
const TURNS = [0, 0, 180, 180, 270, 90, 90, 270] as const;
const MIRRORED = new Set([2, 4, 5, 7]);

/** How an image becomes upright: mirrored left to right, then turned clockwise. */
export const exifOrientation = (orientation: number) => ({
  isMirrored: MIRRORED.has(orientation),
  turn: TURNS[orientation - 1] ?? 0,
});
