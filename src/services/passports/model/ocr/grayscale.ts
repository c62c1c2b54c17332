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
  const sums = new Uint32Array(columns);
  for (let row = 0; row < rows; row++) {
    sums.fill(0);
    const bottom = Math.min(height, (row + 1) * by);
    for (let y = row * by; y < bottom; y++) {
      for (let column = 0, x = y * width; column < columns; column++) {
        const end = y * width + Math.min(width, (column + 1) * by);
        let sum = 0;
        for (; x < end; x++) sum += data[x]!;
        sums[column]! += sum;
      }
    }
    for (let column = 0; column < columns; column++) {
      const across = Math.min(width, (column + 1) * by) - column * by;
      small[row * columns + column] = sums[column]! / (across * (bottom - row * by));
    }
  }
  return { width: columns, height: rows, data: small };
}
