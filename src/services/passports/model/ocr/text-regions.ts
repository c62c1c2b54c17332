import { median } from '../../../../base/median.ts';
import type { Component, Rectangle } from './binarize.ts';
import type { GrayImage } from './grayscale.ts';
import type { Rules } from './rules.ts';
import { findLetters } from './text-lines.ts';

/** A part of a line without rules and wide gaps. */
export type TextRegion = Rectangle;

/** The median height of letters; 0 on a page without text. */
export const medianLetterHeight = (components: readonly Component[]): number =>
  median(findLetters(components).map((component) => component.bottom - component.top));

/** Finds regions on a deskewed page without rules, from its ink and letter height. Tesseract's layout analysis misses single digits in table columns. */
export function findTextRegions(
  components: readonly Component[],
  height: number,
  { horizontal, vertical }: Rules,
): TextRegion[] {
  if (height === 0) return [];
  const fits = (component: Component) =>
    component.bottom - component.top < 4.5 * height && component.right - component.left < 15 * height;
  const isLetter = (component: Component) => component.bottom - component.top > 0.45 * height && fits(component);
  const boxes = groupLines(components.filter(isLetter), height, vertical).map((line) => boundingBox(line.letters));
  // Commas, dots, accents and parts of broken digits join the adjacent region.
  const isSmall = (box: TextRegion) =>
    box.right - box.left < 1.5 * height &&
    (box.bottom - box.top < 0.8 * height || boxes.some((line) => isPartOf(line, box, vertical)));
  const small = [
    ...boxes.filter(isSmall),
    ...components.filter((component) => !isLetter(component) && fits(component) && component.area >= 4),
  ];
  const regions = boxes.filter((box) => !isSmall(box)).map((box) => ({ ...box, line: box }));
  const isolated: TextRegion[] = [];
  const findAdjacent = indexRegions(regions, height);
  for (const component of small) {
    const adjacent = findAdjacent(component);
    if (adjacent) Object.assign(adjacent, boundingBox([adjacent, component]));
    else if (isLetter({ ...component, area: 0 }) || isDash(component, height, horizontal)) isolated.push(component);
  }
  // More regions are a floor plan.
  const dashes = regions.length > MAX_REGIONS ? [] : components.filter((one) => isDash(one, height, horizontal));
  const joined = new Set<Rectangle>(dashes.filter((dash) => joinAcross(dash, regions, { height, vertical })));
  const found = [...regions, ...isolated.filter((one) => !joined.has(one))].map(({ left, top, right, bottom }) => ({
    left,
    top,
    right,
    bottom,
  }));
  return widest(found).sort((a, b) => a.top - b.top || a.left - b.left);
}

/** The side of a full stop relative to the height of its line; smaller ink is a speck of a scan. */
const MIN_DOT = 0.08;

/** Limits the regions of a floor plan or photo. */
export const MAX_REGIONS = 1000;

const widest = (regions: TextRegion[]): TextRegion[] =>
  regions.length <= MAX_REGIONS
    ? regions
    : regions.sort((a, b) => b.right - b.left - (a.right - a.left)).slice(0, MAX_REGIONS);

/** Whether a box may be the upper or lower part of a broken letter in front of or behind a line, as the hook of a 2 in large thin print. */
function isPartOf(line: TextRegion, box: TextRegion, vertical: Rules['vertical']): boolean {
  const high = line.bottom - line.top;
  if (box.bottom - box.top >= 0.8 * high || box.top < line.top - 0.1 * high || box.bottom > line.bottom + 0.1 * high)
    return false;
  const [near, letter] = box.left < line.left ? [box, line] : [line, box];
  return (
    isAdjacent({ ...line, line }, box) && !isSeparated(near, { ...letter, top: box.top, bottom: box.bottom }, vertical)
  );
}

/** Specks must not lead from one line to the next, so the distance above and below is that to the line without them. */
function isAdjacent({ left, right, line }: TextRegion & { line: TextRegion }, component: TextRegion): boolean {
  const high = line.bottom - line.top;
  const isSpeck = (component.right - component.left) * (component.bottom - component.top) < (MIN_DOT * high) ** 2;
  return (
    !isSpeck &&
    component.right > left - 0.5 * high &&
    component.left < right + 0.5 * high &&
    component.bottom > line.top - 0.4 * high &&
    component.top < line.bottom + 0.3 * high
  );
}

/** Returns a search for the first region to which a component is adjacent, among the thousands of a floor plan. */
function indexRegions<Region extends TextRegion & { line: TextRegion }>(regions: readonly Region[], height: number) {
  const bands = new Map<number, number[]>();
  const bandsOf = (top: number, bottom: number) => {
    const first = Math.floor(top / (4 * height));
    return Array.from({ length: Math.floor(bottom / (4 * height)) - first + 1 }, (_, i) => first + i);
  };
  for (const [index, { line }] of regions.entries()) {
    const high = line.bottom - line.top;
    for (const band of bandsOf(line.top - high, line.bottom + high)) {
      const indexes = bands.get(band) ?? [];
      indexes.push(index);
      bands.set(band, indexes);
    }
  }
  return (component: TextRegion): Region | undefined => {
    const found = bandsOf(component.top, component.bottom).flatMap(
      (band) => bands.get(band)?.find((index) => isAdjacent(regions[index]!, component)) ?? [],
    );
    return found.length === 0 ? undefined : regions[Math.min(...found)];
  };
}

function isDash({ left, right, top, bottom }: TextRegion, height: number, horizontal: Rules['horizontal']): boolean {
  const long = right - left;
  if (bottom - top > 0.4 * height || long < 0.5 * height || long > 4 * height) return false;
  return !horizontal.some(
    ({ x0, y0, x1, y1 }) =>
      left > x0 - long && right < x1 + long && Math.abs((y0 + y1 - top - bottom) / 2) < 0.5 * height,
  );
}

/** Joins the regions of one line on both sides of a dash, if there are two: the spaces around it make the gap wider than one between words. */
function joinAcross(
  dash: TextRegion,
  regions: (TextRegion & { line: TextRegion })[],
  { height, vertical }: { height: number; vertical: Rules['vertical'] },
): boolean {
  const centre = (dash.top + dash.bottom) / 2;
  const middle = (dash.left + dash.right) / 2;
  const near = regions.filter(({ line }) => {
    const high = line.bottom - line.top;
    return (
      centre > line.top + 0.25 * high &&
      centre < line.bottom - 0.2 * high &&
      Math.max(line.left - dash.right, dash.left - line.right) < MAX_GAP * height
    );
  });
  const before = near
    .filter(({ line }) => line.right <= middle && !isSeparated(line, dash, vertical))
    .sort((a, b) => b.line.right - a.line.right)[0];
  const after = near
    .filter(({ line }) => line.left >= middle && !isSeparated(dash, line, vertical))
    .sort((a, b) => a.line.left - b.line.left)[0];
  if (!before || !after || verticalOverlap(before.line, after.line) < MIN_SAME_LINE) return false;
  const heights = [before, after].map(({ line }) => line.bottom - line.top);
  if (Math.max(...heights) > MAX_HEIGHT_RATIO * Math.min(...heights)) return false;
  const line = boundingBox([before.line, dash, after.line]);
  Object.assign(before, boundingBox([before, dash, after]), { line });
  regions.splice(regions.indexOf(after), 1);
  return true;
}

const MIN_SAME_LINE = 0.7;
/** Of a line with capitals and one without, or with descenders. */
const MAX_HEIGHT_RATIO = 2;

/** Groups letters into horizontal lines that no vertical rule crosses. */
export function groupLines(
  letters: readonly Component[],
  height: number,
  vertical: Rules['vertical'],
): { readonly letters: readonly Component[] }[] {
  const lines: { letters: Component[]; near: TextRegion }[] = [];
  let open: typeof lines = [];
  for (const letter of [...letters].sort((a, b) => a.left - b.left)) {
    open = open.filter(({ near }) => letter.left - near.right < 6 * height);
    let best: (typeof lines)[number] | undefined;
    let bestOverlap = 0.5;
    for (const line of open) {
      const overlap = verticalOverlap(line.near, letter);
      if (overlap < bestOverlap || letter.left - line.near.right > maxGap(line.near, height)) continue;
      if (isSeparated(line.near, letter, vertical)) continue;
      best = line;
      bestOverlap = overlap;
    }
    if (best) {
      best.letters.push(letter);
      best.near = boundingBox(best.letters.slice(-4));
    } else {
      const line = { letters: [letter], near: letter };
      lines.push(line);
      open.push(line);
    }
  }
  return lines;
}

/** Between the words of a line, in median letter heights. */
const MAX_GAP = 1.7;

const maxGap = (near: TextRegion, height: number) => Math.max(MAX_GAP * height, near.bottom - near.top);

/** The overlap relative to the lower height, so that small letters join capitals. */
function verticalOverlap(near: TextRegion, letter: TextRegion): number {
  const shared = Math.min(letter.bottom, near.bottom) - Math.max(letter.top, near.top);
  return shared / Math.min(letter.bottom - letter.top, near.bottom - near.top);
}

function isSeparated(near: TextRegion, letter: TextRegion, vertical: Rules['vertical']): boolean {
  const y = (letter.top + letter.bottom) / 2;
  return vertical.some((line) => {
    const x = line.x0 + ((line.x1 - line.x0) * (y - line.y0)) / Math.max(1, line.y1 - line.y0);
    return y > line.y0 && y < line.y1 && x > near.right - 4 && x < letter.left + 4;
  });
}

export function boundingBox(components: readonly Rectangle[]): Rectangle {
  return {
    left: Math.min(...components.map(({ left }) => left)),
    top: Math.min(...components.map(({ top }) => top)),
    right: Math.max(...components.map(({ right }) => right)),
    bottom: Math.max(...components.map(({ bottom }) => bottom)),
  };
}

/** In pixels of the page. Without it, the first and last letters are misread. */
export const MARGIN = { across: 4, down: 8 };

/** Crops a region onto white with a {@link MARGIN}, downscaled to `scale` (at most 1). */
export function cropRegion(page: GrayImage, { left, top, right, bottom }: TextRegion, scale: number): GrayImage {
  const width = Math.ceil((right - left + 2 * MARGIN.across) * scale);
  const height = Math.ceil((bottom - top + 2 * MARGIN.down) * scale);
  const data = new Uint8Array(width * height);
  // The grey edge of the ink, but no neighbouring regions.
  const visible = {
    left: Math.max(0, left - 2),
    right: Math.min(page.width, right + 2),
    top: Math.max(0, top - 2),
    bottom: Math.min(page.height, bottom + 2),
  };
  for (let v = 0; v < height; v++) {
    const y0 = Math.floor(v / scale) + top - MARGIN.down;
    const y1 = Math.max(y0 + 1, Math.floor((v + 1) / scale) + top - MARGIN.down);
    for (let u = 0; u < width; u++) {
      const x0 = Math.floor(u / scale) + left - MARGIN.across;
      const x1 = Math.max(x0 + 1, Math.floor((u + 1) / scale) + left - MARGIN.across);
      let sum = 0;
      for (let y = y0; y < y1; y++) {
        const inside = y >= visible.top && y < visible.bottom;
        for (let x = x0; x < x1; x++)
          sum += inside && x >= visible.left && x < visible.right ? page.data[y * page.width + x]! : 255;
      }
      data[v * width + u] = sum / ((y1 - y0) * (x1 - x0));
    }
  }
  return { width, height, data };
}

/** Whether the centre of a rectangle is within a box, by a share of its size away from the edges. */
export function hasCentreIn({ left, top, right, bottom }: Rectangle, box: Rectangle, inset = 0): boolean {
  const x = (left + right) / 2;
  const y = (top + bottom) / 2;
  const [dx, dy] = [inset * (box.right - box.left), inset * (box.bottom - box.top)];
  return x > box.left + dx && x < box.right - dx && y > box.top + dy && y < box.bottom - dy;
}
