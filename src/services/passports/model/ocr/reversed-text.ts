import { findComponents, type Rectangle } from './binarize.ts';
import { downscale, type GrayImage } from './grayscale.ts';
import { dilate, erode } from './morphology.ts';

/** Areas of at least this size, in inches: a line of print on a coloured bar. */
const MIN_HEIGHT = 0.13;
const MIN_WIDTH = 0.5;
/** Chosen, of the rectangle around an area. */
const MIN_FILLED = 0.6;
/** Chosen, of the height of the page: higher ones are the surroundings of a photographed page. */
const MAX_HEIGHT = 0.3;
/** Chosen. Of the paper; black text is lighter on average over a word. */
const DARK = 0.62;
/** Chosen: print covers 5 to 35 % of its area; a picture has all shades. */
const MIN_PRINT = 0.01;
const MAX_PRINT = 0.4;
const MAX_BETWEEN = 0.3;
/** Chosen: dark print on the same ground. */
const MAX_DARKER = 0.01;
/** Chosen, radii in cells. Lines of print above each other are not joined, and one line is less than 5 cells high. */
const WITHIN_PRINT = { across: 4, down: 1 };
const BESIDE = { across: 2, down: 2 };
/** Chosen, in shades. */
const MIN_CONTRAST = 70;
/** Chosen. Of the cells around the print; a line of bold dark print has none. */
const MIN_FRAME = 0.8;

/** Makes light print on dark bars, as in the heads of tables and of modern forms, dark print on paper. */
export function reverseDarkAreas(page: GrayImage, dpi: number): GrayImage {
  const cell = Math.max(2, Math.round(dpi / 37.5));
  const small = downscale(page, cell);
  const paper = percentile(small.data, 0.9);
  const isDark = (light: number) => light < DARK * paper;
  const leastCells = (MIN_HEIGHT * MIN_WIDTH * dpi ** 2) / cell ** 2;
  if (sum(countsOf(small.data).subarray(0, Math.ceil(DARK * paper))) < MIN_FILLED * leastCells) return page;
  // A morphological closing fills light print, and an opening removes dark print beside the bar.
  const closed = dilate(erode(small, WITHIN_PRINT), WITHIN_PRINT);
  const opened = erode(dilate(closed, BESIDE), BESIDE);
  const dark = { ...small, data: opened.data.map((light) => (isDark(light) ? 1 : 0)) };
  const bars = findComponents(dark).filter(
    ({ left, top, right, bottom, area }) =>
      (bottom - top) * cell >= MIN_HEIGHT * dpi &&
      (right - left) * cell >= MIN_WIDTH * dpi &&
      (bottom - top) * cell <= MAX_HEIGHT * page.height &&
      area >= MIN_FILLED * (right - left) * (bottom - top),
  );
  if (bars.length === 0) return page;
  const reversed = { ...page, data: new Uint8Array(page.data) };
  for (const bar of bars) reverse(reversed, { cells: cellsOf(bar, dark), grid: small, cell, paper });
  return reversed;
}

interface Bar {
  readonly cells: readonly number[];
  readonly grid: GrayImage;
  /** Side of a cell in pixels. */
  readonly cell: number;
  readonly paper: number;
}

/** Reverses a bar in place, if it has light print on an even ground. */
function reverse(page: GrayImage, { cells, grid, cell, paper }: Bar): void {
  const change = (of: Iterable<number>, to: (light: number) => number) => {
    for (const at of of) changeCell(page, cell, at, grid.width, to);
  };
  const counts = new Uint32Array(256);
  change(cells, (light) => {
    counts[light]!++;
    return light;
  });
  const ground = quantile(counts, 0.5);
  const isGround = (at: number) => grid.data[at]! < ground + 0.3 * (paper - ground);
  const edge = edgeOf(cells, grid);
  const isFramed = edge.filter(isGround).length >= MIN_FRAME * edge.length;
  if (paper - ground < MIN_CONTRAST || !isFramed || !isPrint(counts, ground, paper)) return;
  change(cells, (light) => Math.max(0, paper - Math.max(0, light - ground)));
  // The cells do not cover the edge of the ground.
  const known = new Set(cells);
  const rim = new Set(cells.flatMap((at) => neighbours(at, grid)).filter((at) => !known.has(at)));
  change(rim, (light) => (light < (ground + paper) / 2 ? paper : light));
}

/** The cells next to the outermost ones, which the area covers in part. */
function edgeOf(cells: readonly number[], grid: GrayImage): number[] {
  const innerOf = (of: readonly number[]) => {
    const all = new Set(of);
    return of.filter((at) => neighbours(at, grid).every((one) => all.has(one)));
  };
  const inner = innerOf(cells);
  const core = new Set(innerOf(inner));
  return inner.filter((at) => !core.has(at));
}

/** Whether few pixels are light, few of a shade between light and ground, and hardly one darker than the ground. */
function isPrint(counts: Uint32Array, ground: number, paper: number): boolean {
  const all = sum(counts);
  const shade = (of: number) => Math.min(256, Math.max(0, Math.ceil(ground + of * (paper - ground))));
  const share = (from: number, to: number) => sum(counts.subarray(shade(from), shade(to))) / all;
  const print = share(0.5, Infinity);
  const isEven = share(0.25, 0.75) <= MAX_BETWEEN && share(-Infinity, -0.3) <= MAX_DARKER;
  return print >= MIN_PRINT && print <= MAX_PRINT && isEven;
}

function cellsOf({ left, top, right, bottom }: Rectangle, { width, data }: GrayImage): number[] {
  const cells: number[] = [];
  for (let y = top; y < bottom; y++)
    for (let x = left; x < right; x++) if (data[y * width + x]) cells.push(y * width + x);
  return cells;
}

/** Replaces the pixels of a cell. */
function changeCell(
  { width, height, data }: GrayImage,
  cell: number,
  at: number,
  columns: number,
  to: (light: number) => number,
): void {
  const [left, top] = [(at % columns) * cell, Math.floor(at / columns) * cell];
  for (let y = top; y < Math.min(height, top + cell); y++)
    for (let x = left; x < Math.min(width, left + cell); x++) data[y * width + x] = to(data[y * width + x]!);
}

function neighbours(at: number, { width, height }: GrayImage): number[] {
  const [x, y] = [at % width, Math.floor(at / width)];
  const around = [-1, 0, 1].flatMap((down) => [-1, 0, 1].map((right) => [x + right, y + down] as const));
  return around.filter(([i, j]) => i >= 0 && i < width && j >= 0 && j < height).map(([i, j]) => j * width + i);
}

function percentile(data: Uint8Array, share: number): number {
  return quantile(countsOf(data), share);
}

/** How many values there are of each lightness. */
function countsOf(data: Uint8Array): Uint32Array {
  const counts = new Uint32Array(256);
  for (let pixel = 0; pixel < data.length; pixel++) counts[data[pixel]!]!++;
  return counts;
}

function quantile(counts: Uint32Array, share: number): number {
  let left = share * sum(counts);
  for (let value = 0; value < 256; value++) {
    left -= counts[value]!;
    if (left <= 0) return value;
  }
  return 255;
}

const sum = (counts: Uint32Array): number => counts.reduce((total, count) => total + count, 0);
