import type { Projection, Turn } from '../../page.ts';
import { flattenBackground } from './background.ts';
import { type Grey, shrink } from './grey.ts';
import { inkOf, inkThreshold, marksOf } from './ink.ts';
import { baselines, lettersOf, linesRunDown, median } from './text-lines.ts';
import { warp } from './warp.ts';

/** How a page has to be seen for its lines of text to run level. */
export interface Upright {
  /** 0 or 90: a page with lines that run down is laid on its side; which of the two ways is up only reading tells. */
  readonly turn: Turn;
  readonly width: number;
  readonly height: number;
  /** From pixels of the upright page to pixels of the source. */
  readonly toSource: Projection;
}

/** About A4 at 300 dpi: the letters of an ordinary form are then as high as Tesseract reads best (20 to 40 pixels). */
const PIXELS = 2360 * 3340;

export function uprightView(page: Grey): Upright {
  const by = Math.max(1, Math.round(Math.sqrt((page.width * page.height) / 2.2e6)));
  const small = shrink(page, by);
  const letters = lettersIn(small);
  const turn = linesRunDown(letters) ? 90 : 0;
  const level = turn === 0 ? letters : lettersIn(warp(small, quarter(turn, small.width, small.height), small.height, small.width));
  const slope = slopeOf(level);
  const [w, h] = turn === 0 ? [page.width, page.height] : [page.height, page.width];
  const scale = Math.sqrt(PIXELS / (w * h));
  const width = Math.round(w * scale);
  const height = Math.round(h * scale);
  const angle = Math.atan(slope);
  const cos = Math.cos(angle) / scale;
  const sin = Math.sin(angle) / scale;
  const rotation: Projection = [
    cos, -sin, w / 2 - (cos * width) / 2 + (sin * height) / 2,
    sin, cos, h / 2 - (sin * width) / 2 - (cos * height) / 2,
    0, 0, 1,
  ];
  return { turn, width, height, toSource: turn === 0 ? rotation : compose(quarter(turn, page.width, page.height), rotation) };
}

function lettersIn(small: Grey) {
  const flat = flattenBackground(small, 24);
  return lettersOf(marksOf(inkOf(flat, inkThreshold(flat))));
}

function slopeOf(letters: ReturnType<typeof lettersOf>): number {
  const lines = baselines(letters);
  return median(lines.flatMap(({ x0, y0, x1, y1 }) => Array<number>(Math.ceil((x1 - x0) / 50)).fill((y1 - y0) / (x1 - x0))));
}

/** From pixels of the page turned clockwise by `turn` to pixels of the page as it is, `width` × `height`. */
export function quarter(turn: Turn, width: number, height: number): Projection {
  switch (turn) {
    case 0:
      return [1, 0, 0, 0, 1, 0, 0, 0, 1];
    case 90:
      return [0, 1, 0, -1, 0, height, 0, 0, 1];
    case 180:
      return [-1, 0, width, 0, -1, height, 0, 0, 1];
    case 270:
      return [0, -1, width, 1, 0, 0, 0, 0, 1];
  }
}

/** First `inner`, then `outer`. */
export function compose(outer: Projection, inner: Projection): Projection {
  const [a, b, c, d, e, f, g, h, i] = outer;
  const row = (x: number, y: number, z: number): [number, number, number] => [
    x * inner[0] + y * inner[3] + z * inner[6],
    x * inner[1] + y * inner[4] + z * inner[7],
    x * inner[2] + y * inner[5] + z * inner[8],
  ];
  return [...row(a, b, c), ...row(d, e, f), ...row(g, h, i)];
}
