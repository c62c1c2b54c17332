import { type Grey, shrink } from './grey.ts';

/**
 * The page as if it were lit evenly: each pixel as a share of the paper around it, 255 where it is as light as the
 * paper. Shadows, stains wider than `wide` pixels and tinted cells become paper; what is thinner stays as dark, against
 * its surroundings, as it was.
 */
export function flattenBackground(page: Grey, wide: number): Grey {
  const { width, height, data } = page;
  const cell = Math.max(2, Math.round(wide / 6));
  const paper = paperOf(page, cell);
  const flat = new Uint8Array(data.length);
  const left = new Uint16Array(width);
  const share = new Float32Array(width);
  for (let x = 0; x < width; x++) {
    const at = Math.min(paper.width - 1, Math.max(0, (x + 0.5) / cell - 0.5));
    left[x] = Math.min(paper.width - 2, Math.floor(at));
    share[x] = at - left[x]!;
  }
  const across = new Float32Array(paper.width);
  for (let y = 0; y < height; y++) {
    const at = Math.min(paper.height - 1, Math.max(0, (y + 0.5) / cell - 0.5));
    const top = Math.min(paper.height - 2, Math.floor(at));
    const down = at - top;
    for (let column = 0; column < paper.width; column++) {
      const above = paper.data[top * paper.width + column]!;
      across[column] = above + (paper.data[(top + 1) * paper.width + column]! - above) * down;
    }
    for (let x = 0, pixel = y * width; x < width; x++, pixel++) {
      const column = left[x]!;
      const light = across[column]! + (across[column + 1]! - across[column]!) * share[x]!;
      const value = (data[pixel]! * 255) / light;
      flat[pixel] = value > 255 ? 255 : value;
    }
  }
  return { width, height, data: flat };
}

/** The paper without what is written on it, one value for each `cell`: a closing (dilation, then erosion), then a blur. */
function paperOf(page: Grey, cell: number): Grey {
  const small = shrink(page, cell);
  // Of 7 cells in a row at least one shows the paper between letters, so that nothing narrower is left of the writing.
  const closed = spread(spread(small, 3, Math.max), 3, Math.min);
  const smooth = blur(blur(closed, 2), 2);
  // Below this a camera saw nothing; and a division needs a ground.
  return { ...smooth, data: smooth.data.map((light) => Math.max(24, light)) };
}

function spread(grey: Grey, radius: number, choose: (a: number, b: number) => number): Grey {
  return alongBoth(grey, (line, out) => {
    for (let i = 0; i < line.length; i++) {
      let best = line[i]!;
      const end = Math.min(line.length - 1, i + radius);
      for (let j = Math.max(0, i - radius); j <= end; j++) best = choose(best, line[j]!);
      out[i] = best;
    }
  });
}

function blur(grey: Grey, radius: number): Grey {
  return alongBoth(grey, (line, out) => {
    for (let i = 0; i < line.length; i++) {
      const start = Math.max(0, i - radius);
      const end = Math.min(line.length - 1, i + radius);
      let sum = 0;
      for (let j = start; j <= end; j++) sum += line[j]!;
      out[i] = sum / (end - start + 1);
    }
  });
}

/** Rows first, then columns. */
function alongBoth({ width, height, data }: Grey, pass: (line: Uint8Array, out: Uint8Array) => void): Grey {
  const rows = new Uint8Array(data.length);
  for (let y = 0; y < height; y++) pass(data.subarray(y * width, (y + 1) * width), rows.subarray(y * width, (y + 1) * width));
  const result = new Uint8Array(data.length);
  const column = new Uint8Array(height);
  const out = new Uint8Array(height);
  for (let x = 0; x < width; x++) {
    for (let y = 0; y < height; y++) column[y] = rows[y * width + x]!;
    pass(column, out);
    for (let y = 0; y < height; y++) result[y * width + x] = out[y]!;
  }
  return { width, height, data: result };
}
