import type { Grey } from './grey.ts';
import type { Line, Ruled } from './rules.ts';

/** Where the sheet ends in the view, in pixels; infinitely far where no edge of it is seen. */
export interface Sheet {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** An edge of the sheet lies this near to a border of the picture, as a share of its side… */
const NEAR = 0.12;
/** …runs along this much of it (a faint edge is found in pieces)… */
const LONG = 0.1;
/** …and beyond it the table is darker than the paper by this factor, all the way. */
const DARKER = 0.85;

/**
 * The sheet on a photo: what looked like rules along its edges is none, where beyond it lies a darker table. `page` is
 * straight, but lit as it was.
 */
export function sheetOn(page: Grey, { level, plumb }: Ruled): Sheet {
  const { width, height } = page;
  const across = level.filter(({ x0, x1 }) => x1 - x0 > LONG * width);
  const down = plumb.filter(({ y0, y1 }) => y1 - y0 > LONG * height);
  const y = ({ y0, y1 }: Line) => (y0 + y1) / 2;
  const x = ({ x0, x1 }: Line) => (x0 + x1) / 2;
  const isEdge = (line: Line, border: number, toX: number, toY: number) => {
    const inside = lightAlong(page, line, 14 * toX, 14 * toY);
    const beyond = lightAlong(page, line, -14 * toX, -14 * toY);
    const outmost = lightAlong(
      page,
      line,
      Math.abs(toX) * (border - x(line)) * 0.8,
      Math.abs(toY) * (border - y(line)) * 0.8,
    );
    return Math.max(beyond, outmost) < DARKER * inside;
  };
  const top = across.filter((line) => y(line) < NEAR * height && isEdge(line, 0, 0, 1));
  const bottom = across.filter((line) => y(line) > (1 - NEAR) * height && isEdge(line, height, 0, -1));
  const left = down.filter((line) => x(line) < NEAR * width && isEdge(line, 0, 1, 0));
  const right = down.filter((line) => x(line) > (1 - NEAR) * width && isEdge(line, width, -1, 0));
  return {
    left: Math.max(...left.map(x)),
    top: Math.max(...top.map(y)),
    right: Math.min(...right.map(x)),
    bottom: Math.min(...bottom.map(y)),
  };
}

/** An edge is seldom quite straight: what lies this near to it, in pixels, belongs to it. */
const EDGE = 18;

/** Whether a box lies on the sheet: its middle, and not along an edge. */
export function isOn(sheet: Sheet, { x0, y0, x1, y1 }: Pick<Line, 'x0' | 'y0' | 'x1' | 'y1'>): boolean {
  const x = (x0 + x1) / 2;
  const y = (y0 + y1) / 2;
  return x > sheet.left + EDGE && x < sheet.right - EDGE && y > sheet.top + EDGE && y < sheet.bottom - EDGE;
}

/** The mean light along a line that was moved. */
function lightAlong({ width, height, data }: Grey, { x0, y0, x1, y1 }: Line, dx: number, dy: number): number {
  let sum = 0;
  const samples = 400;
  for (let sample = 0; sample < samples; sample++) {
    const share = (sample + 0.5) / samples;
    const x = Math.min(width - 1, Math.max(0, Math.round(x0 + (x1 - x0) * share + dx)));
    const y = Math.min(height - 1, Math.max(0, Math.round(y0 + (y1 - y0) * share + dy)));
    sum += data[y * width + x]!;
  }
  return sum / samples;
}
