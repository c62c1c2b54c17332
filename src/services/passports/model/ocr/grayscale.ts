/** An image with 8 bits per channel, by row from the top left corner. */
export interface Raster {
  readonly width: number;
  readonly height: number;
  readonly channels: 1 | 3 | 4;
  readonly data: Uint8Array;
}

/** A grayscale image; 0 is black. */
export interface GrayImage {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

/** Four white pixels as a 32-bit integer. */
export const WHITE = -1;

/** Converts by ITU-R BT.601 weights; transparent pixels are blended with white. */
export function toGrayscale({ width, height, channels, data }: Raster): GrayImage {
  if (channels === 1) return { width, height, data };
  const grey = new Uint8Array(width * height);
  for (let pixel = 0, at = 0; pixel < grey.length; pixel++, at += channels) {
    const lightness = (77 * data[at]! + 150 * data[at + 1]! + 29 * data[at + 2]!) >> 8;
    const cover = channels === 4 ? data[at + 3]! : 255;
    grey[pixel] = cover === 255 ? lightness : (lightness * cover + 255 * (255 - cover)) / 255;
  }
  return { width, height, data: grey };
}

/** Averages `by` × `by` squares, which may be smaller at the right and bottom edges. */
export function downscale({ width, height, data }: GrayImage, by: number): GrayImage {
  if (by === 1) return { width, height, data };
  const columns = Math.ceil(width / by);
  const rows = Math.ceil(height / by);
  const small = new Uint8Array(columns * rows);
  const view = new DataView(data.buffer, data.byteOffset, data.length);
  const hasWords = by % 4 === 0 && by <= MAX_WORDS_SIDE;
  for (let top = 0, at = 0; top < height; top += by) {
    const bottom = Math.min(height, top + by);
    let left = 0;
    if (by === 2 && bottom - top === 2) {
      for (let from = top * width; left + 4 <= width; left += 4, from += 4, at += 2) {
        const sums = pairSums(view.getUint32(from)) + pairSums(view.getUint32(from + width));
        small[at] = sums >>> 18;
        small[at + 1] = (sums & 0xffff) >>> 2;
      }
    }
    for (; left < width; left += by, at++) {
      const right = Math.min(width, left + by);
      let sum = 0;
      if (hasWords && right - left === by) {
        let sums = 0;
        for (let y = top; y < bottom; y++)
          for (let x = y * width + left; x < y * width + right; x += 4) sums = (sums + pairSums(view.getUint32(x))) | 0;
        sum = (sums & 0xffff) + (sums >>> 16);
      } else {
        for (let y = top; y < bottom; y++) for (let x = y * width + left; x < y * width + right; x++) sum += data[x]!;
      }
      small[at] = sum / ((right - left) * (bottom - top));
    }
  }
  return { width: columns, height: rows, data: small };
}

/** The sums of the first two bytes of a big-endian word and of the last two, in 16 bits each. */
const pairSums = (word: number): number => (word & 0xff00ff) + ((word >>> 8) & 0xff00ff);

/** The sums of larger squares need more than 16 bits. */
const MAX_WORDS_SIDE = 20;
