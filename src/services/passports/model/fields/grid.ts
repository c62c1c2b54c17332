import type { Line, Sheet, Token } from './page-tokens.ts';

/** Ruled lines; pieces of one line have the same position. */
export interface Grid {
  readonly horizontal: readonly Line[];
  readonly vertical: readonly Line[];
}

// In points.
const SAME_LINE = 2.5;
const CORNER_GAP = 4;

/** A line between words of a sentence is a shadow or page edge. */
function cutsWords(line: Line, tokens: readonly Token[]): boolean {
  const beside = tokens.filter(({ y0, y1 }) => (y0 + y1) / 2 > line.y0 && (y0 + y1) / 2 < line.y1);
  let cut = 0;
  for (const left of beside) {
    if (left.x1 < line.x0 - 8 || left.x0 > line.x0) continue;
    const space = 0.5 * (left.y1 - left.y0);
    const near = (right: Token) =>
      right !== left &&
      right.x0 > left.x0 &&
      right.x0 - left.x1 < space &&
      right.x1 > line.x0 &&
      Math.abs(right.y1 - left.y1) < space &&
      right.x0 > line.x0 - space;
    if (left.x1 > line.x0 + space || beside.some(near)) cut++;
  }
  return cut >= 2;
}

export function buildGrid({ horizontal, vertical, tokens }: Sheet): Grid {
  return {
    horizontal: align(horizontal, 'y0').map((line) => ({ ...line, y1: line.y0 })),
    vertical: align(
      vertical.filter((line) => !cutsWords(line, tokens)),
      'x0',
    ).map((line) => ({ ...line, x1: line.x0 })),
  };
}

function align(lines: readonly Line[], at: 'x0' | 'y0'): Line[] {
  const sorted = [...lines].sort((a, b) => a[at] - b[at]);
  let place = Number.NEGATIVE_INFINITY;
  return sorted.map((line) => {
    if (line[at] - place > SAME_LINE) place = line[at];
    return { ...line, [at]: place };
  });
}

/** Finds the cell that contains the middle of `place`; undefined unless all four sides are ruled. */
export function findCell({ horizontal, vertical }: Grid, place: Line): Line | undefined {
  const x = (place.x0 + place.x1) / 2;
  const y = (place.y0 + place.y1) / 2;
  const [left, right] = nearestLines(
    vertical.filter(({ y0, y1 }) => y0 - CORNER_GAP < y && y < y1 + CORNER_GAP),
    'x0',
    x,
  );
  const [top, bottom] = nearestLines(
    horizontal.filter(({ x0, x1 }) => x0 - CORNER_GAP < x && x < x1 + CORNER_GAP),
    'y0',
    y,
  );
  if (left === undefined || right === undefined || top === undefined || bottom === undefined) return undefined;
  // Excludes page edges and underlines.
  const ruled =
    isCovered(vertical, 'x0', left, top, bottom) &&
    isCovered(vertical, 'x0', right, top, bottom) &&
    isCovered(horizontal, 'y0', top, left, right) &&
    isCovered(horizontal, 'y0', bottom, left, right);
  return ruled ? { x0: left, y0: top, x1: right, y1: bottom } : undefined;
}

// Scanned lines have gaps.
const MIN_COVERAGE = 0.75;

function isCovered(lines: readonly Line[], at: 'x0' | 'y0', place: number, from: number, to: number): boolean {
  let length = 0;
  for (const line of lines) {
    if (line[at] !== place) continue;
    const [start, end] = at === 'x0' ? [line.y0, line.y1] : [line.x0, line.x1];
    length += Math.max(0, Math.min(end, to) - Math.max(start, from));
  }
  return length >= MIN_COVERAGE * (to - from);
}

function nearestLines(
  lines: readonly Line[],
  at: 'x0' | 'y0',
  value: number,
): [number | undefined, number | undefined] {
  let before: number | undefined;
  let after: number | undefined;
  for (const line of lines) {
    const place = line[at];
    if (place <= value && (before === undefined || place > before)) before = place;
    if (place > value && (after === undefined || place < after)) after = place;
  }
  return [before, after];
}
