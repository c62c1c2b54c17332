import type { Line, Sheet, Token } from './sheet.ts';

/** Ruled lines whose places are so near that they are one line drawn in pieces are given one place. */
export interface Grid {
  readonly across: readonly Line[];
  readonly down: readonly Line[];
}

// In points: how far pieces of one line lie apart, and how far a line may end before the one that it meets.
const SAME = 2.5;
const SHORT = 4;

/** The edge of a shadow or of the sheet: words stand on both sides of it no farther apart than in a sentence. */
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

/** The ruled lines of the page, pieces of one line brought to one place. */
export function gridOf({ across, down, tokens }: Sheet): Grid {
  return {
    across: aligned(across, 'y0').map((line) => ({ ...line, y1: line.y0 })),
    down: aligned(
      down.filter((line) => !cutsWords(line, tokens)),
      'x0',
    ).map((line) => ({ ...line, x1: line.x0 })),
  };
}

function aligned(lines: readonly Line[], at: 'x0' | 'y0'): Line[] {
  const sorted = [...lines].sort((a, b) => a[at] - b[at]);
  let place = Number.NEGATIVE_INFINITY;
  return sorted.map((line) => {
    if (line[at] - place > SAME) place = line[at];
    return { ...line, [at]: place };
  });
}

/** The cell of a ruled table in which the middle of `place` lies; undefined where it is not ruled in on all four sides. */
export function cellOf({ across, down }: Grid, place: Line): Line | undefined {
  const x = (place.x0 + place.x1) / 2;
  const y = (place.y0 + place.y1) / 2;
  const [left, right] = around(
    down.filter(({ y0, y1 }) => y0 - SHORT < y && y < y1 + SHORT),
    'x0',
    x,
  );
  const [top, bottom] = around(
    across.filter(({ x0, x1 }) => x0 - SHORT < x && x < x1 + SHORT),
    'y0',
    y,
  );
  if (left === undefined || right === undefined || top === undefined || bottom === undefined) return undefined;
  // Edges of the sheet and underlined lines cross what is no cell: each side has to run along the whole of it.
  const ruled =
    covered(down, 'x0', left, top, bottom) &&
    covered(down, 'x0', right, top, bottom) &&
    covered(across, 'y0', top, left, right) &&
    covered(across, 'y0', bottom, left, right);
  return ruled ? { x0: left, y0: top, x1: right, y1: bottom } : undefined;
}

// Of a side of a cell; a scanned line has holes.
const MOST = 0.75;

/** Whether lines at `place` run along most of the stretch. */
function covered(lines: readonly Line[], at: 'x0' | 'y0', place: number, from: number, to: number): boolean {
  let length = 0;
  for (const line of lines) {
    if (line[at] !== place) continue;
    const [start, end] = at === 'x0' ? [line.y0, line.y1] : [line.x0, line.x1];
    length += Math.max(0, Math.min(end, to) - Math.max(start, from));
  }
  return length >= MOST * (to - from);
}

/** The nearest places before and behind `value`. */
function around(lines: readonly Line[], at: 'x0' | 'y0', value: number): [number | undefined, number | undefined] {
  let before: number | undefined;
  let behind: number | undefined;
  for (const line of lines) {
    const place = line[at];
    if (place <= value && (before === undefined || place > before)) before = place;
    if (place > value && (behind === undefined || place < behind)) behind = place;
  }
  return [before, behind];
}
