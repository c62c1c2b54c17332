import { boxAround, type Projection, projectPoint, quarterTurn } from '../../page-geometry.ts';
import { flattenBackground } from './background.ts';
import { binarize, findComponents, otsuThreshold } from './binarize.ts';
import { downscale, type GrayImage } from './grayscale.ts';
import { estimatePerspective, weightedMedian } from './perspective.ts';
import { compose, inverse, scaling, translation } from './projection.ts';
import { findRules } from './rules.ts';
import { findBaselines, findLetters, isTextVertical, type Segment } from './text-lines.ts';
import { warp } from './warp.ts';

export interface View {
  /** 90 if lines run vertically. The page may still be upside down, which only OCR detects. */
  readonly turn: 0 | 90;
  readonly width: number;
  readonly height: number;
  /** From pixels of the view to pixels of the page. */
  readonly toSource: Projection;
}

/** About A4 at 300 dpi. */
const VIEW_PIXELS = 2360 * 3340;
/** Measuring at this size is four times as fast. */
const MEASURED_PIXELS = VIEW_PIXELS / 4;

/** Finds the view of the whole page with horizontal text and without perspective. */
export function findDeskewedView(page: GrayImage): View {
  const by = Math.max(1, Math.round(Math.sqrt((page.width * page.height) / MEASURED_PIXELS)));
  const small = flattenBackground(downscale(page, by), 24);
  const threshold = otsuThreshold(small);
  const letters = findLetters(findComponents(binarize(small, threshold)));
  const turn = isTextVertical(letters) ? 90 : 0;
  const rotated = turn === 0 ? small : warp(small, quarterTurn(turn, small), small.height, small.width);
  const upright = turn === 0 ? letters : findLetters(findComponents(binarize(rotated, threshold)));

  // findRules requires nearly horizontal rules.
  const rotation = rotationAround(middleOf(rotated), medianSlope(findBaselines(upright)));
  const level = warp(rotated, rotation, rotated.width, rotated.height);
  const ink = binarize(level, threshold);
  const dpi = 300 * Math.sqrt((level.width * level.height) / VIEW_PIXELS);
  const rules = findRules(ink, dpi);
  const toRotated = compose(
    rotation,
    estimatePerspective(
      [...findBaselines(findLetters(findComponents(ink))), ...rules.horizontal],
      rules.vertical,
      level,
    ),
  );
  const toPage = compose(scaling(by), compose(quarterTurn(turn, small), toRotated));
  return { turn, ...fitPage(toPage, page) };
}

const middleOf = ({ width, height }: GrayImage) => ({ x: width / 2, y: height / 2 });

const medianSlope = (lines: readonly Segment[]): number =>
  weightedMedian(lines.map(({ x0, y0, x1, y1 }) => ({ tilt: (y1 - y0) / (x1 - x0), length: x1 - x0 })));

function rotationAround({ x, y }: { x: number; y: number }, slope: number): Projection {
  const angle = Math.atan(slope);
  const cos = Math.cos(angle);
  const sin = Math.sin(angle);
  return compose(translation(x, y), compose([cos, -sin, 0, sin, cos, 0, 0, 0, 1], translation(-x, -y)));
}

function fitPage(toPage: Projection, page: GrayImage): Omit<View, 'turn'> {
  const back = inverse(toPage);
  const corners = [
    [0, 0],
    [page.width, 0],
    [page.width, page.height],
    [0, page.height],
  ].map(([x, y]) => projectPoint(back, x!, y!));
  const [left, top, right, bottom] = boxAround(corners);
  const scale = Math.sqrt(VIEW_PIXELS / ((right - left) * (bottom - top)));
  return {
    width: Math.round((right - left) * scale),
    height: Math.round((bottom - top) * scale),
    toSource: compose(toPage, compose(translation(left, top), scaling(1 / scale))),
  };
}
