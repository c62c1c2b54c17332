import type { Rule } from '../../page-geometry.ts';

/** In points from the top left corner of the displayed page. */
export type Stroke = readonly [x0: number, y0: number, x1: number, y1: number];

/** Joins horizontal and vertical strokes to rules, as shares of the page. Prefers the longest. */
export function rulesFromStrokes(strokes: readonly Stroke[], page: { width: number; height: number }): Rule[] {
  const horizontal: Line[] = [];
  const vertical: Line[] = [];
  for (const [x0, y0, x1, y1] of strokes) {
    const [wide, high] = [Math.abs(x1 - x0), Math.abs(y1 - y0)];
    if (high <= MAX_SLANT + wide * 0.01 && wide > high)
      horizontal.push(line((y0 + y1) / 2, x0, x1, page.height, page.width));
    else if (wide <= MAX_SLANT + high * 0.01) vertical.push(line((x0 + x1) / 2, y0, y1, page.width, page.height));
  }
  const rules = [
    ...join(horizontal).map(
      ({ at, from, to }): Rule => [from / page.width, at / page.height, to / page.width, at / page.height],
    ),
    ...join(vertical).map(
      ({ at, from, to }): Rule => [at / page.width, from / page.height, at / page.width, to / page.height],
    ),
  ];
  if (rules.length <= MAX_RULES) return rules;
  const length = ([x0, y0, x1, y1]: Rule) => Math.max(x1 - x0, y1 - y0);
  return rules.sort((a, b) => length(b) - length(a)).slice(0, MAX_RULES);
}

/** `at` is the position across the line. */
interface Line {
  readonly at: number;
  readonly from: number;
  to: number;
}

// In points. Borders of adjacent cells are up to a point apart.
const MAX_SLANT = 0.6;
const SAME_LINE = 0.8;
const MAX_GAP = 1.6;
// Less than the height of a table row.
const MIN_LENGTH = 7;
// A table of 60 × 10 cells has about 1,000; a floor plan has thousands of short ones.
const MAX_RULES = 3000;

function line(at: number, a: number, b: number, across: number, along: number): Line {
  const inside = at >= 0 && at <= across;
  const [from, to] = [Math.max(0, Math.min(a, b)), Math.min(along, Math.max(a, b))];
  return inside && to > from ? { at, from, to } : { at: Number.NaN, from: 0, to: 0 };
}

function join(lines: readonly Line[]): Line[] {
  const sorted = lines.filter(({ at }) => !Number.isNaN(at)).sort((a, b) => a.at - b.at);
  const done: Line[] = [];
  for (let start = 0; start < sorted.length; ) {
    let end = start + 1;
    while (end < sorted.length && sorted[end]!.at - sorted[start]!.at <= SAME_LINE) end++;
    const row = sorted.slice(start, end).sort((a, b) => a.from - b.from);
    let last: Line | undefined;
    for (const piece of row) {
      if (last && piece.from - last.to <= MAX_GAP) {
        last.to = Math.max(last.to, piece.to);
        continue;
      }
      last = { ...piece };
      done.push(last);
    }
    start = end;
  }
  return done.filter(({ from, to }) => to - from >= MIN_LENGTH);
}
