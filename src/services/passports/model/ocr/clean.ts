import { flattenBackground } from './background.ts';
import { eraseRules } from './erase.ts';
import type { Grey } from './grey.ts';
import { inkOf, inkThreshold } from './ink.ts';
import { cutOut, type Piece, piecesOf } from './pieces.ts';
import { findRules, type Ruled } from './rules.ts';
import { isOn, sheetOn } from './sheet.ts';
import { uprightView, type View } from './upright.ts';
import { warp } from './warp.ts';

/** A page as a recognizer wants it: straight, white, without rules, and cut into its pieces of text. Places are pixels of the view. */
export interface CleanPage {
  readonly view: View;
  readonly rules: Ruled;
  readonly pieces: readonly Piece[];
  /** How large the pictures of the pieces are, against the view. */
  readonly scale: number;
  /** The picture of each piece. */
  readonly lines: readonly Grey[];
}

/** The resolution that a page has in its view, if it is an A4 sheet. */
const INCH = 300;
/** No stroke of ordinary writing is wider; a shadow is. */
const WIDEST_STROKE = 0.16 * INCH;

/**
 * The height, in pixels, that most letters have in the pictures. Small: Tesseract's network was trained on scans and
 * takes the flat-topped 3 of a crisp, large print for a 5; a page is cleaned large and read small.
 */
const READ_HEIGHT = 10.5;

export function cleanPage(page: Grey): CleanPage {
  const view = uprightView(page);
  const straight = warp(page, view.toSource, view.width, view.height);
  const flat = flattenBackground(straight, WIDEST_STROKE);
  const threshold = inkThreshold(flat);
  const ink = inkOf(flat, threshold);
  const rules = findRules(ink, INCH);
  eraseRules(flat, ink, rules);
  whiten(flat.data, threshold);
  const found = piecesOf(inkOf(flat, 200), rules);
  const scale = Math.min(1, READ_HEIGHT / Math.max(1, found.letterHeight));

  // What lies beside the sheet is a table's grain.
  const sheet = sheetOn(straight, rules);
  const pieces = found.pieces.filter(({ left, top, right, bottom }) =>
    isOn(sheet, { x0: left, y0: top, x1: right, y1: bottom }),
  );
  return {
    view,
    rules: {
      level: rules.level.filter((line) => isOn(sheet, line)),
      plumb: rules.plumb.filter((line) => isOn(sheet, line)),
    },
    pieces,
    scale,
    lines: pieces.map((piece) => cutOut(flat, piece, scale)),
  };
}

/** The grain of the paper and the noise of a camera become white: what is nearer to paper than to ink. In place. */
function whiten(data: Uint8Array, threshold: number): void {
  const white = (threshold + 255) / 2;
  const whitened = Uint8Array.from({ length: 256 }, (_, light) => Math.min(255, (light * 255) / white));
  for (let pixel = 0; pixel < data.length; pixel++) data[pixel] = whitened[data[pixel]!]!;
}
