import { flattenBackground } from './background.ts';
import { eraseRules } from './erase.ts';
import type { Grey } from './grey.ts';
import { inkOf, inkThreshold } from './ink.ts';
import { cutOut, type Piece, piecesOf } from './pieces.ts';
import { findRules, type Ruled } from './rules.ts';
import { isOn, sheetOn } from './sheet.ts';
import { uprightView, type View } from './upright.ts';
import { warp } from './warp.ts';

/** A page prepared for OCR, in pixels of the view. */
export interface CleanPage {
  readonly view: View;
  readonly rules: Ruled;
  readonly pieces: readonly Piece[];
  /** Scale of the region images relative to the view. */
  readonly scale: number;
  readonly lines: readonly Grey[];
}

const DPI = 300;
/** Wider features are shadows. */
const MAX_STROKE_WIDTH = 0.16 * DPI;

/** In region images. Small, because Tesseract reads the flat-topped 3 of large print as a 5. */
const LETTER_HEIGHT = 10.5;

export function cleanPage(page: Grey): CleanPage {
  const view = uprightView(page);
  const straight = warp(page, view.toSource, view.width, view.height);
  const flat = flattenBackground(straight, MAX_STROKE_WIDTH);
  const threshold = inkThreshold(flat);
  const ink = inkOf(flat, threshold);
  const rules = findRules(ink, DPI);
  eraseRules(flat, ink, rules);
  whiten(flat.data, threshold);
  const found = piecesOf(inkOf(flat, 200), rules);
  const scale = Math.min(1, LETTER_HEIGHT / Math.max(1, found.letterHeight));

  const edges = sheetOn(straight, rules);
  const regions = found.regions.filter(({ left, top, right, bottom }) =>
    isOn(edges, { x0: left, y0: top, x1: right, y1: bottom }),
  );
  return {
    view,
    rules: {
      level: rules.level.filter((line) => isOn(edges, line)),
      plumb: rules.plumb.filter((line) => isOn(edges, line)),
    },
    pieces: regions,
    scale,
    lines: regions.map((region) => cutOut(flat, region, scale)),
  };
}

/** Removes paper texture and noise, in place. */
function whiten(data: Uint8Array, threshold: number): void {
  const white = (threshold + 255) / 2;
  const whitened = Uint8Array.from({ length: 256 }, (_, light) => Math.min(255, (light * 255) / white));
  for (let pixel = 0; pixel < data.length; pixel++) data[pixel] = whitened[data[pixel]!]!;
}
