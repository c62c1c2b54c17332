import { flattenBackground } from './background.ts';
import { binarize, otsuThreshold } from './binarize.ts';
import { findDeskewedView, type View } from './deskew.ts';
import type { GrayImage } from './grayscale.ts';
import { detectPageEdges, isInsidePage } from './page-edges.ts';
import { removeRules } from './rule-removal.ts';
import { findRules, type Rules } from './rules.ts';
import { cropRegion, findTextRegions, type TextRegion } from './text-regions.ts';
import { warp } from './warp.ts';

/** A page prepared for OCR, in pixels of the view. */
export interface PreprocessedPage {
  readonly view: View;
  readonly rules: Rules;
  readonly regions: readonly TextRegion[];
  /** Scale of the region images relative to the view. */
  readonly scale: number;
  readonly images: readonly GrayImage[];
}

const DPI = 300;
/** Wider features are shadows. */
const MAX_STROKE_WIDTH = 0.16 * DPI;

/** In region images. Small, because Tesseract reads the flat-topped 3 of large print as a 5. */
const LETTER_HEIGHT = 10.5;

export function preprocessPage(page: GrayImage): PreprocessedPage {
  const view = findDeskewedView(page);
  const straight = warp(page, view.toSource, view.width, view.height);
  const flat = flattenBackground(straight, MAX_STROKE_WIDTH);
  const threshold = otsuThreshold(flat);
  const ink = binarize(flat, threshold);
  const rules = findRules(ink, DPI);
  removeRules(flat, ink, rules);
  whiten(flat.data, threshold);
  const found = findTextRegions(binarize(flat, 200), rules);
  const scale = Math.min(1, LETTER_HEIGHT / Math.max(1, found.letterHeight));

  const edges = detectPageEdges(straight, rules);
  const regions = found.regions.filter(({ left, top, right, bottom }) =>
    isInsidePage(edges, { x0: left, y0: top, x1: right, y1: bottom }),
  );
  return {
    view,
    rules: {
      horizontal: rules.horizontal.filter((line) => isInsidePage(edges, line)),
      vertical: rules.vertical.filter((line) => isInsidePage(edges, line)),
    },
    regions,
    scale,
    images: regions.map((region) => cropRegion(flat, region, scale)),
  };
}

/** Removes paper texture and noise, in place. */
function whiten(data: Uint8Array, threshold: number): void {
  const white = (threshold + 255) / 2;
  const whitened = Uint8Array.from({ length: 256 }, (_, light) => Math.min(255, (light * 255) / white));
  for (let pixel = 0; pixel < data.length; pixel++) data[pixel] = whitened[data[pixel]!]!;
}
