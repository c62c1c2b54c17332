import { flattenBackground } from './background.ts';
import { type BinaryImage, binarize, findComponents, otsuThreshold, type Rectangle } from './binarize.ts';
import { takeBoxedLines } from './boxed-lines.ts';
import { type CheckBox, eraseCheckBoxes, findCheckBoxes } from './check-boxes.ts';
import { findDeskewedView, type View } from './deskew.ts';
import { type GrayImage, WHITE } from './grayscale.ts';
import { composeLine, cropLine, cropTurnedLine, type LineImage } from './line-images.ts';
import { detectPageEdges, isInsidePage } from './page-edges.ts';
import { reverseDarkAreas } from './reversed-text.ts';
import { removeRules } from './rule-removal.ts';
import { findRules, type Rules } from './rules.ts';
import { findTextRegions, MAX_REGIONS, medianLetterHeight } from './text-regions.ts';
import { takeTurnedLines } from './turned-lines.ts';
import { warp } from './warp.ts';

/** A page prepared for OCR, in pixels of the view. */
export interface PreprocessedPage {
  readonly view: View;
  readonly rules: Rules;
  readonly lines: readonly LineImage[];
  /** Not part of the lines. */
  readonly checkBoxes: readonly Omit<CheckBox, 'components'>[];
}

const DPI = 300;
/** Wider features are shadows. */
const MAX_STROKE_WIDTH = 0.16 * DPI;

/** In line images. Small, because Tesseract reads the flat-topped 3 of large print as a 5. */
const LETTER_HEIGHT = 10.5;

export function preprocessPage(page: GrayImage): PreprocessedPage {
  const view = findDeskewedView(page);
  const straight = reverseDarkAreas(warp(page, view.toSource, view.width, view.height), DPI);
  const flat = flattenBackground(straight, MAX_STROKE_WIDTH);
  const threshold = otsuThreshold(flat);
  const ink = binarize(flat, threshold);
  const rules = findRules(ink, DPI);
  removeRules(flat, ink, rules);
  whiten(flat.data, threshold);
  const textInk = binarize(flat, TEXT);
  addFaintText(textInk, flat);
  const components = findComponents(textInk);
  const letterHeight = medianLetterHeight(components);
  const scale = Math.min(1, LETTER_HEIGHT / Math.max(1, letterHeight));

  const edges = detectPageEdges(straight, rules);
  const isOnPage = ({ left, top, right, bottom }: Rectangle) =>
    isInsidePage(edges, { x0: left, y0: top, x1: right, y1: bottom });
  const checkBoxes = findCheckBoxes(textInk, components, letterHeight).filter(isOnPage);
  eraseCheckBoxes(flat, textInk, checkBoxes);
  const erased = new Set(checkBoxes.flatMap((box) => box.components));
  const text = components.filter((component) => !erased.has(component));
  const boxed = takeBoxedLines(text, rules, { width: view.width, height: view.height, dpi: DPI });
  const turned = takeTurnedLines(boxed.rest, letterHeight, rules);
  const upright = findTextRegions(turned.rest, letterHeight, rules);
  const boxedLines = boxed.lines.slice(0, MAX_REGIONS - upright.length);
  const turnedLines = turned.regions.slice(0, MAX_REGIONS - upright.length - boxedLines.length);
  const lines = [
    ...boxedLines.map((characters) => composeLine(flat, characters, scale)),
    ...turnedLines.map((region) => cropTurnedLine(flat, region, scale)),
    ...upright.map((region) => cropLine(flat, region, scale)),
  ];
  return {
    view,
    rules: {
      horizontal: boxed.rules.horizontal.filter((line) => isInsidePage(edges, line)),
      vertical: boxed.rules.vertical.filter((line) => isInsidePage(edges, line)),
    },
    lines: lines
      .filter(({ region }) => isOnPage(region))
      .sort(({ region: a }, { region: b }) => a.top - b.top || a.left - b.left),
    checkBoxes: checkBoxes.map(({ components: _, ...box }) => box),
  };
}

/** Adds the pixels of print that is grey and thin throughout, as the small labels of coloured forms. */
function addFaintText(ink: BinaryImage, { width, height, data }: GrayImage): void {
  const letters = findComponents(binarize({ width, height, data }, FAINT)).filter(({ left, top, right, bottom }) => {
    const sides = [right - left, bottom - top] as const;
    // Not a piece of a rule. Narrow letters are read with the others of their line.
    return Math.min(...sides) >= MIN_LETTER && Math.max(...sides) <= MAX_LETTER && sides[0] <= 3 * sides[1];
  });
  if (letters.length > MAX_LETTERS) return;
  for (const { left, top, right, bottom, area } of letters) {
    const rows = Array.from({ length: bottom - top }, (_, y) => (top + y) * width);
    let dark = 0;
    for (const row of rows) for (let x = left; x < right; x++) dark += ink.data[row + x]!;
    if (dark >= 0.5 * area) continue;
    for (const row of rows) for (let x = left; x < right; x++) if (data[row + x]! < FAINT) ink.data[row + x] = 1;
  }
}

/** Lighter pixels are the edges of print; of grey print whose strokes are thinner than a pixel, they are all there is. */
const TEXT = 200;
const FAINT = 240;
// Chosen, in pixels.
const MIN_LETTER = 0.018 * DPI;
const MAX_LETTER = 0.2 * DPI;
/** A page of small print has 8000; more are texture. */
const MAX_LETTERS = 10_000;

/** Removes paper texture and noise, in place. */
function whiten(data: Uint8Array, threshold: number): void {
  const white = (threshold + 255) / 2;
  const whitened = Uint8Array.from({ length: 256 }, (_, light) => Math.min(255, (light * 255) / white));
  const view = new DataView(data.buffer, data.byteOffset, data.length);
  for (let pixel = 0; pixel < data.length; pixel++) {
    if (data[pixel] !== 255) data[pixel] = whitened[data[pixel]!]!;
    else while (pixel + 4 < data.length && view.getInt32(pixel + 1) === WHITE) pixel += 4;
  }
}
