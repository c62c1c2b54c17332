import { type Ink, marksOf } from './ink.ts';

/** A ruled line of a page, in pixels, from left to right or from the top down, and how thick its ink is. */
export interface Line {
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
  readonly thickness: number;
}

export interface Ruled {
  readonly level: readonly Line[];
  readonly plumb: readonly Line[];
}

/**
 * The rules of a page that stands nearly straight (to 3°): solid, broken, dashed or dotted. `inch` is the resolution
 * that the page is taken to have, in pixels. Underscores are rules too; dashes between words and the bars of large
 * letters are not.
 */
export function findRules(ink: Ink, inch: number): Ruled {
  const sizes = sizesAt(inch);
  const onSide = transposed(ink);
  const level = chained([...solidPieces(ink, sizes), ...dottedPieces(ink, sizes)], sizes);
  const plumb = chained([...solidPieces(onSide, sizes), ...dottedPieces(onSide, sizes)], sizes).map(swapped);
  // A long line stands for itself. A short one must lie between two long ones, as the top of a narrow column does: the
  // bars of a large П do not.
  const longLevel = level.filter((line) => line.x1 - line.x0 >= sizes.sure);
  const longPlumb = plumb.filter((line) => line.y1 - line.y0 >= sizes.surePlumb);
  return {
    level: level.filter((line) => line.x1 - line.x0 >= sizes.sure || bothEndsMeet(line, longPlumb, sizes.near)),
    plumb: plumb.filter(
      (line) => line.y1 - line.y0 >= sizes.surePlumb || bothEndsMeet(swapped(line), longLevel.map(swapped), sizes.near),
    ),
  };
}

interface Sizes {
  /** Runs of ink shorter than this are no part of a rule. */
  readonly run: number;
  /** A shorter run may be the feet of letters that touch each other; it must be thin nearly everywhere. */
  readonly plain: number;
  /** What is thicker is a bar, a filled cell, a photo. */
  readonly thick: number;
  /** From this length on a line needs no neighbours to be believed; upright strokes of large letters are longer than level ones. */
  readonly sure: number;
  readonly surePlumb: number;
  /** Pieces of one line may lie this far apart: a word that crosses it, a fold of the paper. */
  readonly gap: number;
  readonly near: number;
  /** Dots and dashes: how high at most, how far apart, how many. */
  readonly dot: number;
  readonly pitch: number;
  readonly dots: number;
}

const sizesAt = (inch: number): Sizes => ({
  run: 0.14 * inch,
  plain: 0.6 * inch,
  thick: Math.max(4, 0.045 * inch),
  sure: 0.3 * inch,
  surePlumb: 0.42 * inch,
  gap: 0.2 * inch,
  near: 0.03 * inch,
  dot: 0.03 * inch,
  pitch: 0.05 * inch,
  dots: 10,
});

/** Straight runs of thin ink, joined with those of the rows beside them. */
function solidPieces({ width, height, data }: Ink, sizes: Sizes): Line[] {
  const mask = new Uint8Array(data.length);
  let found = false;
  for (let y = 0; y < height; y++) {
    const end = (y + 1) * width;
    for (let x = y * width; x < end; x++) {
      if (data[x] === 0) continue;
      const start = x;
      // Noise eats a pixel or two of a faint line.
      while (x < end && (data[x] === 1 || data[x + 1] === 1 || data[x + 2] === 1)) x++;
      if (
        x - start >= sizes.run &&
        thinShare(data, width, start, x, sizes.thick) >= (x - start < sizes.plain ? 0.85 : 0.5)
      ) {
        mask.fill(1, start, Math.min(x, end));
        found = true;
      }
    }
  }
  if (!found) return [];
  return marksOf({ width, height, data: mask }).map(({ left, right, top, bottom, area }) => {
    const at = (from: number, to: number) => meanRow(mask, width, from, to, top, bottom);
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

/** How much of a run is no thicker than a rule; where letters touch it, and where lines cross, it is thicker. */
function thinShare(data: Uint8Array, width: number, start: number, end: number, thick: number): number {
  let thin = 0;
  let looked = 0;
  for (let x = start; x < end; x += 3) {
    looked++;
    let through = 0;
    for (let at = x; at >= 0 && data[at] === 1 && through <= thick; at -= width) through++;
    for (let at = x + width; at < data.length && data[at] === 1 && through <= thick; at += width) through++;
    if (through <= thick) thin++;
  }
  return thin / looked;
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

/** Rows of at least ten dots or dashes at the same height: dotted rules, dot leaders, dashed lines. */
function dottedPieces(ink: Ink, sizes: Sizes): Line[] {
  const dots = marksOf(ink)
    .filter((mark) => mark.bottom - mark.top <= sizes.dot && mark.right - mark.left <= sizes.run)
    .sort((a, b) => a.left - b.left);
  const rows = new Map<
    number,
    { left: number; right: number; first: number; last: number; count: number; high: number }[]
  >();
  const cell = sizes.dot;
  for (const dot of dots) {
    const y = (dot.top + dot.bottom) / 2;
    const row = Math.floor(y / cell);
    const chain = [row - 1, row, row + 1]
      .flatMap((at) => rows.get(at) ?? [])
      .find((open) => dot.left - open.right <= sizes.pitch && Math.abs(open.last - y) <= cell / 3);
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
    .filter(({ count }) => count >= sizes.dots)
    .map(({ left, right, first, last, high, count }) => ({
      x0: left,
      y0: first,
      x1: right,
      y1: last,
      thickness: high / count,
    }));
}

/** Pieces that go on where another ended are one line. */
function chained(pieces: Line[], sizes: Sizes): Line[] {
  const lines: Line[] = [];
  for (const piece of pieces.sort((a, b) => a.x0 - b.x0)) {
    const before = lines.findLastIndex((line) => {
      const apart = piece.x0 - line.x1;
      const slope = line.x1 - line.x0 > 4 * sizes.run ? (line.y1 - line.y0) / (line.x1 - line.x0) : 0;
      const off = Math.abs(line.y1 + slope * apart - piece.y0);
      return apart <= sizes.gap && apart > -sizes.gap && off <= sizes.near / 3 + Math.max(0, apart) * 0.03;
    });
    if (before < 0) lines.push(piece);
    else lines[before] = joined(lines[before]!, piece);
  }
  return lines;
}

function joined(one: Line, other: Line): Line {
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

const swapped = ({ x0, y0, x1, y1, thickness }: Line): Line => ({ x0: y0, y0: x0, x1: y1, y1: x1, thickness });

/** Rows become columns. In squares, so that both sides stay in the cache. */
export function transposed({ width, height, data }: Ink): Ink {
  const out = new Uint8Array(data.length);
  for (let top = 0; top < height; top += 64) {
    for (let left = 0; left < width; left += 64) {
      const bottom = Math.min(height, top + 64);
      const right = Math.min(width, left + 64);
      for (let y = top; y < bottom; y++) {
        for (let x = left; x < right; x++) out[x * height + y] = data[y * width + x]!;
      }
    }
  }
  return { width: height, height: width, data: out };
}
