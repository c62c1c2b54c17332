import { type BinaryImage, type Component, findComponents } from './binarize.ts';
import { correctEnds } from './rule-ends.ts';
import type { Segment } from './text-lines.ts';

/** A ruled line, from left to right or from top to bottom. */
export interface Line extends Segment {
  readonly thickness: number;
}

export interface Rules {
  readonly horizontal: readonly Line[];
  readonly vertical: readonly Line[];
}

/** Finds solid, broken, dashed and dotted rules and underscores on a page tilted by at most 3°. */
export function findRules(ink: BinaryImage, dpi: number): Rules {
  const sizes = sizesAt(dpi);
  const columns = transposed(ink);
  const components = findComponents(ink);
  const chained = chain([...solidPieces(ink, sizes).thin, ...dottedPieces(components, sizes)], sizes);
  const horizontal = correctEnds(chained, components, dpi);
  const { thin, crossed } = solidPieces(columns, sizes);
  const vertical = chain([...thin, ...dottedPieces(findComponents(columns), sizes)], sizes).map(swapAxes);
  // A short line must connect two long ones; the bars of a large П do not.
  const longHorizontal = horizontal.filter((line) => line.x1 - line.x0 >= sizes.minHorizontal);
  const longVertical = vertical.filter((line) => line.y1 - line.y0 >= sizes.minVertical);
  const isBetween = (line: Line) => bothEndsMeet(swapAxes(line), longHorizontal.map(swapAxes), sizes.near);
  const upright = vertical.filter((line) => line.y1 - line.y0 >= sizes.minVertical || isBetween(line));
  const isPart = (line: Line, of: readonly Line[]) => of.some((one) => covers(one, line, sizes.near));
  const sides: Line[] = [];
  for (const line of crossed.map(swapAxes))
    if (isBetween(line) && !isPart(line, upright) && !isPart(line, sides)) sides.push(line);
  return {
    horizontal: horizontal.filter(
      (line) => line.x1 - line.x0 >= sizes.minHorizontal || bothEndsMeet(line, longVertical, sizes.near),
    ),
    vertical: [...upright.filter((line) => !isPart(line, sides)), ...sides],
  };
}

type Sizes = ReturnType<typeof sizesAt>;

const sizesAt = (dpi: number) => ({
  /** Minimum length of an ink run. */
  run: 0.14 * dpi,
  /** Shorter runs may be the bases of letters and must be thin nearly everywhere. */
  longRun: 0.6 * dpi,
  maxThickness: Math.max(4, 0.045 * dpi),
  /** Shorter lines must connect two others. Vertical strokes of large letters are longer than horizontal ones. */
  minHorizontal: 0.3 * dpi,
  minVertical: 0.42 * dpi,
  /** From a crossing word or a fold. */
  gap: 0.2 * dpi,
  near: 0.03 * dpi,
  /** Of dotted and dashed lines. */
  dotHeight: 0.03 * dpi,
  dotDistance: 0.05 * dpi,
  minDots: 10,
});

/**
 * Finds runs of thin ink and joins them across rows. `crossed` are short ones of which other lines cross more: two thick rules are a fifth
 * of the side of a box for one character.
 */
function solidPieces({ width, height, data }: BinaryImage, sizes: Sizes): { thin: Line[]; crossed: Line[] } {
  const mask = new Uint8Array(data.length);
  const crossings: [start: number, end: number][] = [];
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.length);
  for (let x = bytes.indexOf(1); x >= 0; x = bytes.indexOf(1, x)) {
    const start = x;
    const end = (Math.floor(x / width) + 1) * width;
    // Bridges gaps of two pixels in faint lines.
    while (x < end && (data[x] === 1 || data[x + 1] === 1 || data[x + 2] === 1)) x++;
    if (x - start < sizes.run) continue;
    const share = thinShare(data, width, start, x, sizes.maxThickness);
    const isShort = x - start < sizes.longRun;
    if (share >= (isShort ? 0.85 : 0.5)) mask.fill(1, start, x);
    else if (isShort && share >= 0.7) crossings.push([start, x]);
  }
  const thin = piecesOf({ width, height, data: mask });
  mask.fill(0);
  for (const [start, end] of crossings) mask.fill(1, start, end);
  return { thin, crossed: crossings.length === 0 ? [] : piecesOf({ width, height, data: mask }) };
}

function piecesOf(mask: BinaryImage): Line[] {
  return findComponents(mask).map(({ left, right, top, bottom, area }) => {
    const at = (from: number, to: number) => meanRow(mask.data, mask.width, from, to, top, bottom);
    const reach = Math.min(right - left, 8);
    return {
      x0: left,
      y0: at(left, left + reach),
      x1: right,
      y1: at(right - reach, right),
      thickness: area / (right - left),
    };
  });
}

/** Whether an upright line is part of another one. */
const covers = (one: Line, line: Line, near: number): boolean =>
  Math.abs(one.x0 + one.x1 - line.x0 - line.x1) < 2 * near && one.y0 < line.y0 + near && one.y1 > line.y1 - near;

/** The share of a run that is thin; letters and crossing lines are thicker. */
function thinShare(data: Uint8Array, width: number, start: number, end: number, maxThickness: number): number {
  let thin = 0;
  let samples = 0;
  for (let x = start; x < end; x += 3) {
    samples++;
    let height = 0;
    for (let at = x; at >= 0 && data[at] === 1 && height <= maxThickness; at -= width) height++;
    for (let at = x + width; at < data.length && data[at] === 1 && height <= maxThickness; at += width) height++;
    if (height <= maxThickness) thin++;
  }
  return thin / samples;
}

function meanRow(mask: Uint8Array, width: number, left: number, right: number, top: number, bottom: number): number {
  let sum = 0;
  let count = 0;
  for (let y = top; y < bottom; y++) {
    for (let x = left; x < right; x++) {
      if (mask[y * width + x] === 1) {
        sum += y + 0.5;
        count++;
      }
    }
  }
  return count === 0 ? (top + bottom) / 2 : sum / count;
}

function dottedPieces(components: readonly Component[], sizes: Sizes): Line[] {
  const dots = components
    .filter(
      (component) =>
        component.bottom - component.top <= sizes.dotHeight && component.right - component.left <= sizes.run,
    )
    .sort((a, b) => a.left - b.left);
  const rows = new Map<
    number,
    { left: number; right: number; first: number; last: number; count: number; high: number }[]
  >();
  const cell = sizes.dotHeight;
  for (const dot of dots) {
    const y = (dot.top + dot.bottom) / 2;
    const row = Math.floor(y / cell);
    const chain = [row - 1, row, row + 1]
      .flatMap((at) => rows.get(at) ?? [])
      .find((open) => dot.left - open.right <= sizes.dotDistance && Math.abs(open.last - y) <= cell / 3);
    if (chain) {
      chain.right = Math.max(chain.right, dot.right);
      chain.last += (y - chain.last) / 2;
      chain.count++;
      chain.high += dot.bottom - dot.top;
      const now = Math.floor(chain.last / cell);
      if (now !== row && !rows.get(now)?.includes(chain)) rows.set(now, [...(rows.get(now) ?? []), chain]);
    } else {
      rows.set(row, [
        ...(rows.get(row) ?? []).filter((open) => dot.left - open.right <= sizes.gap),
        { left: dot.left, right: dot.right, first: y, last: y, count: 1, high: dot.bottom - dot.top },
      ]);
    }
  }
  const chains = new Set([...rows.values()].flat());
  return [...chains]
    .filter(({ count }) => count >= sizes.minDots)
    .map(({ left, right, first, last, high, count }) => ({
      x0: left,
      y0: first,
      x1: right,
      y1: last,
      thickness: high / count,
    }));
}

function chain(pieces: Line[], sizes: Sizes): Line[] {
  const lines: Line[] = [];
  for (const piece of pieces.sort((a, b) => a.x0 - b.x0)) {
    const before = lines.findLastIndex((line) => {
      const apart = piece.x0 - line.x1;
      const slope = line.x1 - line.x0 > 4 * sizes.run ? (line.y1 - line.y0) / (line.x1 - line.x0) : 0;
      const off = Math.abs(line.y1 + slope * apart - piece.y0);
      return apart <= sizes.gap && apart > -sizes.gap && off <= sizes.near / 3 + Math.max(0, apart) * 0.03;
    });
    if (before < 0) lines.push(piece);
    else lines[before] = join(lines[before]!, piece);
  }
  return lines;
}

function join(one: Line, other: Line): Line {
  const long = one.x1 - one.x0;
  const more = other.x1 - other.x0;
  const last = one.x1 > other.x1 ? one : other;
  return {
    x0: one.x0,
    y0: one.y0,
    x1: last.x1,
    y1: last.y1,
    thickness: (one.thickness * long + other.thickness * more) / Math.max(1, long + more),
  };
}

function bothEndsMeet(line: Line, crossing: readonly Line[], near: number): boolean {
  const meets = (x: number, y: number) =>
    crossing.some(
      (other) => Math.abs((other.x0 + other.x1) / 2 - x) <= 2 * near && y >= other.y0 - near && y <= other.y1 + near,
    );
  return meets(line.x0, line.y0) && meets(line.x1, line.y1);
}

/** Mirrors at the diagonal. */
export const swapAxes = ({ x0, y0, x1, y1, thickness }: Line): Line => ({ x0: y0, y0: x0, x1: y1, y1: x1, thickness });

/** Copies only the ink, which is little of a page. */
function transposed({ width, height, data }: BinaryImage): BinaryImage {
  const out = new Uint8Array(data.length);
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.length);
  for (let at = bytes.indexOf(1); at >= 0; at = bytes.indexOf(1, at)) {
    const y = Math.floor(at / width);
    for (let x = at - y * width; x < width && data[at] === 1; x++, at++) out[x * height + y] = 1;
  }
  return { width: height, height: width, data: out };
}
