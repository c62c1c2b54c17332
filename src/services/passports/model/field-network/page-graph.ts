import { median } from '../../../../base/median.ts';
import { type Area, middleX, middleY, type Sheet, type Token } from '../fields/page-tokens.ts';

/**
 * The relations of a token to others, in the order of {@link PageGraph.neighbours}. In the leftmost or top cell,
 * `cell left` and `cell above` lead to the first word of the own cell; the network was trained with that.
 */
export const RELATIONS = ['left', 'right', 'above', 'below', 'cell left', 'cell above', 'head'] as const;

export interface PageGraph {
  /** The typical height of letters, in points. */
  readonly unit: number;
  /** Per token one index for each of {@link RELATIONS}; -1 for none. */
  readonly neighbours: readonly (readonly number[])[];
  readonly cells: readonly Cell[];
}

/** Distances in points to the ruled lines around the middle of a token; undefined for a side without a line. */
export interface Cell {
  readonly left: number | undefined;
  readonly top: number | undefined;
  readonly right: number | undefined;
  readonly bottom: number | undefined;
}

// Ruled lines end a little before the corner in scans; in points.
const CORNER_GAP = 4;
// In units: words further apart on a line do not belong together.
const MAX_GAP = 60;

/** Finds the neighbours of each token along text lines, columns and ruled cells. */
export function linkTokens(sheet: Sheet): PageGraph {
  const { tokens } = sheet;
  const unit = Math.max(2, median(tokens.map(({ y1, y0, x1, x0 }) => Math.min(y1 - y0, x1 - x0 + 4))));
  const cells = tokens.map((token) => cellAround(token, sheet));
  const order = tokens.map((_, i) => i).sort((a, b) => middleY(tokens[a]!) - middleY(tokens[b]!));
  const rank = new Array<number>(tokens.length);
  for (const [place, i] of order.entries()) rank[i] = place;
  const sorted = sortedPlaces(tokens, order);
  const neighbours = tokens.map((_, i) => {
    const [left, right] = besides(rank[i]!, sorted, unit);
    const [above, below] = aboveAndBelow(rank[i]!, sorted, unit);
    return [left, right, above, below, -1, -1, -1];
  });
  const cellStart = firstOfCell(tokens, neighbours, cells);
  for (const [i, links] of neighbours.entries()) {
    links[4] = cellStart(chain(links[0]!, (at) => (sameCell(cells[at]!, cells[i]!) ? neighbours[at]![0]! : -1)));
    links[5] = cellStart(chain(links[2]!, (at) => (sameCell(cells[at]!, cells[i]!) ? neighbours[at]![2]! : -1)));
    links[6] = chain(links[2]!, (at) => (/\p{L}{2}/u.test(tokens[at]!.text) ? -1 : neighbours[at]![2]!));
  }
  return { unit, neighbours, cells };
}

/** Follows `next` from `start` and returns the last index reached; returns -1 if `start` is negative. */
function chain(start: number, next: (at: number) => number): number {
  let at = start;
  for (let steps = 0; at >= 0 && steps < 80; steps++) {
    const following = next(at);
    if (following < 0) return at;
    at = following;
  }
  return at;
}

/** The ruled lines around the middle of a place. */
export function cellAround(place: Area, { horizontal, vertical }: Pick<Sheet, 'horizontal' | 'vertical'>): Cell {
  const x = middleX(place);
  const y = middleY(place);
  let [left, right, top, bottom]: (number | undefined)[] = [];
  for (const { x0, y0, y1 } of vertical) {
    if (y < y0 - CORNER_GAP || y > y1 + CORNER_GAP) continue;
    if (x0 <= x) left = left === undefined ? x - x0 : Math.min(left, x - x0);
    else right = right === undefined ? x0 - x : Math.min(right, x0 - x);
  }
  for (const { x0, x1, y0 } of horizontal) {
    if (x < x0 - CORNER_GAP || x > x1 + CORNER_GAP) continue;
    if (y0 <= y) top = top === undefined ? y - y0 : Math.min(top, y - y0);
    else bottom = bottom === undefined ? y0 - y : Math.min(bottom, y0 - y);
  }
  return {
    left: left === undefined ? undefined : x - left,
    right: right === undefined ? undefined : x + right,
    top: top === undefined ? undefined : y - top,
    bottom: bottom === undefined ? undefined : y + bottom,
  };
}

const near = (a: number | undefined, b: number | undefined): boolean =>
  a === undefined || b === undefined ? a === b : Math.abs(a - b) < 3;

/** Whether two tokens are between the same ruled lines; false without any. */
export function sameCell(a: Cell, b: Cell): boolean {
  const ruled = a.left !== undefined || a.right !== undefined;
  return ruled && near(a.left, b.left) && near(a.right, b.right) && near(a.top, b.top) && near(a.bottom, b.bottom);
}

/** The tokens by vertical middle, as arrays of numbers: all words of a line are compared with each other. */
interface SortedPlaces {
  /** Indices of the tokens. */
  readonly order: readonly number[];
  readonly x0: Float64Array;
  readonly x1: Float64Array;
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly height: Float64Array;
}

function sortedPlaces(tokens: readonly Token[], order: readonly number[]): SortedPlaces {
  const list = (of: (token: Token) => number) => Float64Array.from(order, (i) => of(tokens[i]!));
  return {
    order,
    x0: list((token) => token.x0),
    x1: list((token) => token.x1),
    x: list(middleX),
    y: list(middleY),
    height: list(({ y0, y1 }) => y1 - y0),
  };
}

/** The nearest tokens left and right on the same line. */
function besides(from: number, { order, x0, x1, x, y, height }: SortedPlaces, unit: number): [number, number] {
  const found: [number, number] = [-1, -1];
  const gaps: [number, number] = [MAX_GAP * unit, MAX_GAP * unit];
  const reach = 0.6 * Math.max(unit, height[from]!);
  for (let step = -1; step <= 1; step += 2) {
    for (let at = from + step; at >= 0 && at < y.length; at += step) {
      if (Math.abs(y[at]! - y[from]!) > reach) break;
      const side = x[at]! < x[from]! ? 0 : 1;
      const gap = side === 0 ? x0[from]! - x1[at]! : x0[at]! - x1[from]!;
      if (gap < -0.5 * unit || gap >= gaps[side]!) continue;
      gaps[side] = gap;
      found[side] = order[at]!;
    }
  }
  return found;
}

/** The nearest tokens above and below that overlap horizontally; of several on a line, the one nearest to the left edge. */
function aboveAndBelow(from: number, { order, x0, x1, y }: SortedPlaces, unit: number): [number, number] {
  const found: [number, number] = [-1, -1];
  for (let side = 0; side < 2; side++) {
    const step = side === 0 ? -1 : 1;
    let best = Number.POSITIVE_INFINITY;
    for (let at = from + step; at >= 0 && at < y.length; at += step) {
      const distance = Math.abs(y[at]! - y[from]!);
      // Later tokens can only win by their left edge, which counts for at most two units.
      if (distance > best + 2 * unit) break;
      if (distance < 0.6 * unit) continue;
      const overlap = Math.min(x1[at]!, x1[from]!) - Math.max(x0[at]!, x0[from]!);
      if (overlap <= 0) continue;
      const score = distance + Math.min(2 * unit, 0.1 * Math.abs(x0[at]! - x0[from]!));
      if (score >= best) continue;
      best = score;
      found[side] = order[at]!;
    }
  }
  return found;
}

/** Returns a function from a token to the first token of its cell, or of its line where there are no ruled lines. */
function firstOfCell(
  tokens: readonly Token[],
  neighbours: readonly (readonly number[])[],
  cells: readonly Cell[],
): (index: number) => number {
  return (index) => {
    if (index < 0) return -1;
    const top = chain(index, (at) => {
      const above = neighbours[at]![2]!;
      return above >= 0 && sameCell(cells[at]!, cells[above]!) ? above : -1;
    });
    return chain(top, (at) => {
      const left = neighbours[at]![0]!;
      if (left < 0) return -1;
      const gap = tokens[at]!.x0 - tokens[left]!.x1;
      const height = tokens[at]!.y1 - tokens[at]!.y0;
      return sameCell(cells[at]!, cells[left]!) || (cells[at]!.left === undefined && gap < height) ? left : -1;
    });
  };
}
