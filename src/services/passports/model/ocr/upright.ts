import { type Projection, projectPoint } from '../../page.ts';
import { flattenBackground } from './background.ts';
import { type Grey, shrink } from './grey.ts';
import { inkOf, inkThreshold, marksOf } from './ink.ts';
import { compose, inverse, quarterTurn, scaling, shift } from './projection.ts';
import { findRules } from './rules.ts';
import { straightening, weightedMedian } from './straighten.ts';
import { baselines, lettersOf, linesRunDown, type Segment } from './text-lines.ts';
import { warp } from './warp.ts';

/** How a page has to be looked at for its lines to run level. */
export interface View {
  /** 0, or 90 where lines run down the page. Whether it then stands on its head only reading it tells. */
  readonly turn: 0 | 90;
  readonly width: number;
  readonly height: number;
  /** From pixels of the view to pixels of the page. */
  readonly toSource: Projection;
}

/** About A4 at 300 dpi: the letters of an ordinary form are then as high as Tesseract reads best (20 to 40 pixels). */
const PIXELS = 2360 * 3340;
/** What the page is measured at, which is four times as fast as at its full size. */
const MEASURED_PIXELS = PIXELS / 4;

/** Finds the view in which the page stands on its side or its foot, straight and without perspective, whole, at {@link PIXELS}. */
export function uprightView(page: Grey): View {
  const by = Math.max(1, Math.round(Math.sqrt((page.width * page.height) / MEASURED_PIXELS)));
  const small = flattenBackground(shrink(page, by), 24);
  const threshold = inkThreshold(small);
  const letters = lettersOf(marksOf(inkOf(small, threshold)));
  const turn = linesRunDown(letters) ? 90 : 0;
  const turned = turn === 0 ? small : warp(small, quarterTurn(turn, small), small.height, small.width);
  const upright = turn === 0 ? letters : lettersOf(marksOf(inkOf(turned, threshold)));

  // First the tilt, then what is left of it: rules are looked for only where they run nearly level.
  const rotation = rotationAround(middleOf(turned), slopeOf(baselines(upright)));
  const level = warp(turned, rotation, turned.width, turned.height);
  const ink = inkOf(level, threshold);
  const inch = 300 * Math.sqrt((level.width * level.height) / PIXELS);
  const rules = findRules(ink, inch);
  const toTurned = compose(
    rotation,
    straightening([...baselines(lettersOf(marksOf(ink))), ...rules.level], rules.plumb, level),
  );
  const toPage = compose(scaling(by), compose(quarterTurn(turn, small), toTurned));
  return { turn, ...whole(toPage, page) };
}

const middleOf = ({ width, height }: Grey) => ({ x: width / 2, y: height / 2 });

/** The slope of most text, by its length. */
const slopeOf = (lines: readonly Segment[]): number =>
  weightedMedian(lines.map(({ x0, y0, x1, y1 }) => ({ tilt: (y1 - y0) / (x1 - x0), long: x1 - x0 })));

/** From a frame in which lines run level to the one in which they have `slope`. */
function rotationAround({ x, y }: { x: number; y: number }, slope: number): Projection {
  const angle = Math.atan(slope);
  const cos = Math.cos(angle);
  const sin = Math.sin(angle);
  return compose(shift(x, y), compose([cos, -sin, 0, sin, cos, 0, 0, 0, 1], shift(-x, -y)));
}

/** The frame around the whole page as `toPage` shows it, at the size that is wanted. */
function whole(toPage: Projection, page: Grey): Omit<View, 'turn'> {
  const back = inverse(toPage);
  const corners = [
    [0, 0],
    [page.width, 0],
    [page.width, page.height],
    [0, page.height],
  ].map(([x, y]) => projectPoint(back, x!, y!));
  const xs = corners.map(([x]) => x);
  const ys = corners.map(([, y]) => y);
  const left = Math.min(...xs);
  const top = Math.min(...ys);
  const scale = Math.sqrt(PIXELS / ((Math.max(...xs) - left) * (Math.max(...ys) - top)));
  return {
    width: Math.round((Math.max(...xs) - left) * scale),
    height: Math.round((Math.max(...ys) - top) * scale),
    toSource: compose(toPage, compose(shift(left, top), scaling(1 / scale))),
  };
}
