/**
 * A place on a page: left, top, right, bottom as shares (0..1) of the width and the height of the page as the PDF shows
 * it (its own /Rotate applied), from the top left corner.
 */
export type Box = readonly [x0: number, y0: number, x1: number, y1: number];

/** A word with its place. */
export interface Word {
  readonly text: string;
  readonly box: Box;
  /** 0..1 as the reader gave it; null where it gives none (text that the PDF itself carries is certain, not scored). */
  readonly confidence: number | null;
}

/** A ruled line, horizontal (`y0 = y1`) or vertical (`x0 = x1`) within the drawing's accuracy; rules make the tables. */
export type Rule = Box;

/** Who read the words of a page: the PDF's own text, or an engine with its languages (`tesseract rus+eng`). */
export type Reader = 'text' | (string & {});

/** One page as words and rules: what everything after the reading works on. Plain data, so it may be kept or sent. */
export interface ReadPage {
  /** From 1. */
  readonly page: number;
  /** In points (1/72 inch), as the PDF shows it. */
  readonly width: number;
  readonly height: number;
  /** How far the *content* must be turned clockwise to stand upright: 90 for a sheet that was photographed lying. Boxes are not turned. */
  readonly turn: 0 | 90 | 180 | 270;
  readonly words: readonly Word[];
  readonly rules: readonly Rule[];
  readonly reader: Reader;
}
