import type { Component } from './binarize.ts';
import type { Segment } from './text-lines.ts';

/**
 * Corrects the ends of horizontal rules: dots that continue a dotted line belong to it, the base of a letter or figure that stands at
 * its end does not (in `…… 2 877,4` the 2 would lose its base).
 */
export function correctEnds<Line extends Segment>(
  lines: readonly Line[],
  components: readonly Component[],
  dpi: number,
): Line[] {
  const sizes = { dot: 0.03 * dpi, gap: 0.05 * dpi, minLetter: 0.045 * dpi, maxLetter: 0.25 * dpi, break: 0.015 * dpi };
  const dots = groupRows(
    components.filter((one) => width(one) <= sizes.gap && height(one) <= sizes.dot),
    ({ top, bottom }) => (top + bottom) / 2,
  );
  const letters = groupRows(
    components.filter(
      (one) => width(one) <= sizes.maxLetter && height(one) >= sizes.minLetter && height(one) <= sizes.maxLetter,
    ),
    ({ bottom }) => bottom,
  );

  /** The end of a line that goes to the right from `start`; with the side `left`, to the left. */
  function correctEnd(start: number, end: number, y: number, side: 'left' | 'right'): number {
    const direction = side === 'right' ? 1 : -1;
    const near = side === 'right' ? 'left' : 'right';
    const past = (x: number, than: number) => direction * (x - than);
    const dotsOnLine = dots(y - sizes.dot / 3, y + sizes.dot / 3);
    // Those whose lower third the rule touches, or only their foot, which thin print separates.
    const lettersOnLine = letters(y - sizes.break, y + sizes.maxLetter / 3).filter(
      (letter) => y >= letter.bottom - height(letter) / 3,
    );
    let x = end;
    for (;;) {
      const next = dotsOnLine.find(
        (dot) => past(dot[near], x) > -1 && past(dot[near], x) <= sizes.gap && past(dot[side], x) > 0,
      );
      if (!next) break;
      x = next[side];
    }
    for (;;) {
      const letter = lettersOnLine.find(
        (one) => x >= one.left - 1 && x <= one.right + 1 && past(x, start) > width(one),
      );
      if (!letter) return x;
      x = letter[near] - 2 * direction;
      const foot = dotsOnLine.find((dot) => past(dot[side], x) > 2 && past(x, dot[near]) > 0);
      if (foot) x = foot[near] - 2 * direction;
    }
  }

  return lines.map((line) => {
    const x1 = correctEnd(line.x0, line.x1, line.y1, 'right');
    return { ...line, x0: correctEnd(x1, line.x0, line.y0, 'left'), x1 };
  });
}

const width = ({ left, right }: Component): number => right - left;
const height = ({ top, bottom }: Component): number => bottom - top;

/** In pixels. */
const ROW = 8;

/** Returns a function that finds the components of which `at` is between two values. */
function groupRows(components: readonly Component[], at: (component: Component) => number) {
  const rows = new Map<number, Component[]>();
  for (const component of components) {
    const row = Math.floor(at(component) / ROW);
    const others = rows.get(row);
    if (others) others.push(component);
    else rows.set(row, [component]);
  }
  return (from: number, to: number): Component[] => {
    const found: Component[] = [];
    for (let row = Math.floor(from / ROW); row <= Math.floor(to / ROW); row++) {
      for (const component of rows.get(row) ?? [])
        if (at(component) >= from && at(component) <= to) found.push(component);
    }
    return found;
  };
}
