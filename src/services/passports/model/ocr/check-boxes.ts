import type { BinaryImage, Component, Rectangle } from './binarize.ts';
import type { GrayImage } from './grayscale.ts';

/** A printed tick box, in pixels. */
export interface CheckBox extends Rectangle {
  readonly isTicked: boolean;
  /** The ink of outline and mark. */
  readonly components: readonly Component[];
}

/**
 * Finds hollow squares about as high as text. A marked or filled square is a tick box only if the page also has an empty one of
 * its size; others are bullets, framed numbers and parts of QR codes.
 */
export function findCheckBoxes(ink: BinaryImage, components: readonly Component[], letterHeight: number): CheckBox[] {
  const least = Math.max(MIN_SIDE, 0.9 * letterHeight);
  const most = 2.8 * letterHeight;
  const squares = components
    .filter(({ left, right, top, bottom }) => {
      const [width, height] = [right - left, bottom - top];
      return Math.min(width, height) >= least && width < 2 * most && height < 2 * most;
    })
    .flatMap((component) => findSquare(ink, component, least, most) ?? []);
  const isRow = (one: Square, other: Square) =>
    one !== other &&
    isSimilar(one, other) &&
    isLevel(one, other) &&
    gapBetween(one, other) < MAX_CELL_GAP * sideOf(one);
  // Boxes for one character each.
  const single = squares.filter((square) => !squares.some((other) => isRow(square, other)));
  const empty = single.filter(({ isEmpty }) => isEmpty);
  return single
    .filter((square) => square.isEmpty || empty.some((other) => isSimilar(square, other)))
    .map(({ left, top, right, bottom, isEmpty, component }) => ({
      ...{ left, top, right, bottom },
      isTicked: !isEmpty,
      components: [
        component,
        ...components.filter((other) => other !== component && isInside(other, { left, top, right, bottom })),
      ],
    }));
}

/** In pixels at 300 dpi: 1.2 mm. */
const MIN_SIDE = 14;
/** In sides. The boxes of a form are separated by their text. */
const MAX_CELL_GAP = 0.6;

interface Square extends Rectangle {
  readonly isEmpty: boolean;
  readonly component: Component;
}

const sideOf = ({ left, top, right, bottom }: Rectangle) => Math.max(right - left, bottom - top);
const isSimilar = (one: Rectangle, other: Rectangle) =>
  Math.abs(sideOf(one) - sideOf(other)) <= Math.max(2, 0.15 * sideOf(one));
/** Options below each other may have boxes that almost touch. */
const isLevel = (one: Rectangle, other: Rectangle) => Math.abs(one.top - other.top) < 0.5 * sideOf(one);
const gapBetween = (one: Rectangle, other: Rectangle) =>
  Math.max(one.left, other.left) - Math.min(one.right, other.right);
const isInside = (inner: Rectangle, { left, top, right, bottom }: Rectangle) =>
  inner.left >= left && inner.right <= right && inner.top >= top && inner.bottom <= bottom;

/** Finds a square in a component, which may also contain a mark that crosses its outline. */
function findSquare(ink: BinaryImage, component: Component, least: number, most: number): Square | undefined {
  const rows = horizontalRuns(ink, component).filter(
    ({ left, right }) => right - left >= least && right - left <= 1.5 * most,
  );
  for (const first of rows) {
    for (const last of rows.toReversed()) {
      // A mark that crosses the outline makes a run longer.
      const [left, right] = [Math.max(first.left, last.left), Math.min(first.right, last.right)];
      const [width, height] = [right - left, last.y + 1 - first.y];
      if (height < least || height < MIN_ASPECT * width) break;
      if (width < least || width < MIN_ASPECT * height) continue;
      const square = { left, top: first.y, right, bottom: last.y + 1 };
      const inside = outlineInterior(ink, square);
      if (inside !== undefined && sideOf(square) <= most)
        return { ...square, isEmpty: inside < MAX_EMPTY_INK, component };
    }
  }
  return undefined;
}

const MIN_ASPECT = 0.8;
/** The share of ink inside; noise remains below, a thin tick above. */
const MAX_EMPTY_INK = 0.04;

/** The longest run of each row; gaps of two pixels are bridged. */
function horizontalRuns({ width, data }: BinaryImage, { left, right, top, bottom }: Rectangle) {
  return Array.from({ length: bottom - top }, (_, row) => {
    const y = top + row;
    let best = { y, left, right: left };
    let start = -1;
    let end = -1;
    for (let x = left; x < right; x++) {
      if (data[y * width + x] === 0) continue;
      if (start < 0 || x - end > 2) start = x;
      end = x + 1;
      if (end - start > best.right - best.left) best = { y, left: start, right: end };
    }
    return best;
  });
}

/** The share of ink inside a square outline; undefined if the outline is broken, uneven or round. */
function outlineInterior(ink: BinaryImage, square: Rectangle): number | undefined {
  const { left, top, right, bottom } = square;
  const side = sideOf(square);
  const isInk = (x: number, y: number) => ink.data[y * ink.width + x] === 1;
  // The residual tilt of a straightened page; letters such as O, D and B are rounder.
  const band = Math.max(2, Math.round(0.08 * side));
  const { width } = ink;
  const at = (x: number, y: number) => y * width + x;
  const [across, down] = [right - left, bottom - top];
  const edges = [
    depths(ink, { from: at(left, top), along: 1, inward: width, length: across, band }),
    depths(ink, { from: at(left, bottom - 1), along: 1, inward: -width, length: across, band }),
    depths(ink, { from: at(left, top), along: width, inward: 1, length: down, band }),
    depths(ink, { from: at(right - 1, top), along: width, inward: -1, length: down, band }),
  ];
  if (edges.some((edge) => edge.filter((depth) => depth < band).length < 0.9 * edge.length)) return undefined;
  const beside = [
    depths(ink, { from: at(left, top - 2), along: 1, inward: 0, length: across, band: 1 }),
    depths(ink, { from: at(left, bottom + 1), along: 1, inward: 0, length: across, band: 1 }),
    depths(ink, { from: at(left - 2, top), along: width, inward: 0, length: down, band: 1 }),
    depths(ink, { from: at(right + 1, top), along: width, inward: 0, length: down, band: 1 }),
  ];
  // A mark may cross the outline, but a square inside a bold letter has ink beside it.
  if (beside.some((edge) => edge.filter((depth) => depth === 0).length > 0.25 * edge.length)) return undefined;
  const cornerReach = Math.max(2, 0.12 * side);
  const hasCorner = (x: number, y: number, right: number, down: number) => {
    for (let across = 0; across <= cornerReach; across++) {
      for (let along = 0; along + across <= cornerReach; along++)
        if (isInk(x + right * along, y + down * across)) return true;
    }
    return false;
  };
  const corners =
    hasCorner(left, top, 1, 1) &&
    hasCorner(right - 1, top, -1, 1) &&
    hasCorner(left, bottom - 1, 1, -1) &&
    hasCorner(right - 1, bottom - 1, -1, -1);
  if (!corners) return undefined;
  const inset = Math.round(Math.max(5, 0.2 * side));
  let count = 0;
  for (let y = top + inset; y < bottom - inset; y++)
    for (let x = left + inset; x < right - inset; x++) if (isInk(x, y)) count++;
  return count / Math.max(1, (right - left - 2 * inset) * (bottom - top - 2 * inset));
}

/** In pixels of the image: the first one of an edge, and the steps along it and into the square. */
interface Edge {
  readonly from: number;
  readonly along: number;
  readonly inward: number;
  readonly length: number;
  readonly band: number;
}

/** For each position of an edge, the depth of the outermost ink; `band` without ink. */
function depths({ data }: BinaryImage, { from, along, inward, length, band }: Edge): number[] {
  const found: number[] = [];
  for (let i = 0; i < length; i++) {
    let depth = 0;
    while (depth < band && data[from + i * along + depth * inward] !== 1) depth++;
    found.push(depth);
  }
  return found;
}

/** Erases boxes with their marks, in place. */
export function eraseCheckBoxes(page: GrayImage, ink: BinaryImage, boxes: readonly CheckBox[]): void {
  for (const box of boxes) {
    whiten(page, box);
    const [outline] = box.components;
    if (outline !== undefined && !isInside(outline, box)) eraseConnected(page, ink, outline, box);
  }
}

/** Two pixels include the grey edge. */
function whiten({ width, height, data }: GrayImage, { left, top, right, bottom }: Rectangle): void {
  const end = Math.min(width, right + 2);
  for (let y = Math.max(0, top - 2); y < Math.min(height, bottom + 2); y++)
    data.fill(255, y * width + Math.max(0, left - 2), y * width + end);
}

/** Erases the part of a mark outside its box. */
function eraseConnected(page: GrayImage, { width, data }: BinaryImage, within: Rectangle, box: Rectangle): void {
  const { left, top, right, bottom } = within;
  const seen = new Set<number>();
  const open: [x: number, y: number][] = [];
  const visit = (x: number, y: number) => {
    if (x < left || x >= right || y < top || y >= bottom) return;
    const pixel = y * width + x;
    if (data[pixel] === 0 || seen.has(pixel)) return;
    seen.add(pixel);
    open.push([x, y]);
  };
  for (let y = box.top; y < box.bottom; y++) for (let x = box.left; x < box.right; x++) visit(x, y);
  for (let next = open.pop(); next; next = open.pop()) {
    const [x, y] = next;
    whiten(page, { left: x, top: y, right: x + 1, bottom: y + 1 });
    for (let dy = -1; dy <= 1; dy++) for (let dx = -1; dx <= 1; dx++) visit(x + dx, y + dy);
  }
}
