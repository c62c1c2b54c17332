import type { Line, Sheet } from './sheet.ts';

/** Ruled lines whose places are so near that they are one line drawn in pieces are given one place. */
export interface Grid {
  readonly across: readonly Line[];
  readonly down: readonly Line[];
}

// In points: how far pieces of one line lie apart, and how far a line may end before the one that it meets.
const SAME = 2.5;
const SHORT = 4;

/** The ruled lines of the page, pieces of one line brought to one place. */
export function gridOf({ across, down }: Sheet): Grid {
  return {
    across: aligned(across, 'y0').map((line) => ({ ...line, y1: line.y0 })),
    down: aligned(down, 'x0').map((line) => ({ ...line, x1: line.x0 })),
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
  return { x0: left, y0: top, x1: right, y1: bottom };
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
