import type { BinaryImage } from './binarize.ts';
import type { GrayImage } from './grayscale.ts';
import type { Line, Rules } from './rules.ts';

/** Removes rules in place and keeps strokes that cross them. */
export function removeRules(page: GrayImage, ink: BinaryImage, { horizontal, vertical }: Rules): void {
  for (const line of horizontal) erase(page, ink, line, 1, page.width, page.width, page.height);
  for (const { x0, y0, x1, y1, thickness } of vertical) {
    erase(page, ink, { x0: y0, y0: x0, x1: y1, y1: x1, thickness }, page.width, 1, page.height, page.width);
  }
  for (const across of horizontal) for (const down of vertical) eraseCrossing(page, across, down);
}

/** At a crossing, each rule looks like a stroke that crosses the other. */
function eraseCrossing({ width, height, data }: GrayImage, across: Line, down: Line): void {
  const x = down.x0 + (down.x1 - down.x0) * share(across.y0, down.y0, down.y1);
  const y = across.y0 + (across.y1 - across.y0) * share(x, across.x0, across.x1);
  const reach = across.thickness / 2 + down.thickness / 2 + 3;
  if (x < across.x0 - reach || x > across.x1 + reach || y < down.y0 - reach || y > down.y1 + reach) return;
  const beside = Math.ceil(down.thickness / 2 + 2);
  const above = Math.ceil(across.thickness / 2 + 2);
  for (let row = Math.max(0, Math.floor(y) - above); row <= Math.min(height - 1, Math.floor(y) + above); row++) {
    data.fill(
      255,
      row * width + Math.max(0, Math.floor(x) - beside),
      row * width + Math.min(width, Math.floor(x) + beside + 1),
    );
  }
}

const share = (at: number, from: number, to: number) => Math.min(1, Math.max(0, (at - from) / Math.max(1, to - from)));

/** `along` and `across` are index strides, so that both orientations share the code. */
function erase(
  page: GrayImage,
  ink: BinaryImage,
  line: Line,
  along: number,
  across: number,
  length: number,
  breadth: number,
): void {
  const { data } = page;
  const slope = (line.y1 - line.y0) / Math.max(1, line.x1 - line.x0);
  const half = line.thickness / 2;
  // Tolerance for lines that are not quite straight.
  const reach = Math.ceil(half + 4);
  const maxThickness = line.thickness + 4;
  const from = Math.max(0, Math.floor(line.x0) - 2);
  const to = Math.min(length, Math.ceil(line.x1) + 2);
  for (let x = from; x < to; x++) {
    const middle = line.y0 + slope * (x - line.x0);
    const low = Math.max(0, Math.round(middle) - reach);
    const high = Math.min(breadth - 1, Math.round(middle) + reach);
    for (let y = low; y <= high; y++) {
      if (ink.data[x * along + y * across] === 0) continue;
      let start = y;
      while (start > 0 && ink.data[x * along + (start - 1) * across] === 1 && y - start <= 3 * maxThickness) start--;
      let end = y + 1;
      while (end < breadth && ink.data[x * along + end * across] === 1 && end - y <= 3 * maxThickness) end++;
      if (end - start <= maxThickness) paint(data, x * along, across, start - 2, end + 2, breadth);
      else {
        const above = middle - half - start > 2.5;
        const below = end - (middle + half) > 2.5;
        // Removes only the line below or above ink; keeps a crossing stroke.
        if (above !== below) {
          const top = above ? Math.round(middle - half) : start - 2;
          const bottom = above ? end + 2 : Math.round(middle + half);
          paint(data, x * along, across, top, bottom, breadth);
        }
      }
      y = end;
    }
  }
}

function paint(data: Uint8Array, base: number, across: number, from: number, to: number, breadth: number): void {
  for (let y = Math.max(0, from); y < Math.min(breadth, to); y++) data[base + y * across] = 255;
}
