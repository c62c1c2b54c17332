/**
 * A place on a page: left, top, right, bottom as shares (0..1) of the width and the height, from the top left corner: of
 * the page as the PDF shows it (its own /Rotate applied), or of its {@link Reading} frame where there is one.
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

/**
 * Where a point of one frame lies in another, both as shares (0..1) from the top left corner: a homography, row by row;
 * (x, y) goes to ((ax + by + c) / (gx + hy + i), (dx + ey + f) / (gx + hy + i)). Nine numbers, because a photo's sheet has a perspective.
 */
export type Projection = readonly [
  a: number,
  b: number,
  c: number,
  d: number,
  e: number,
  f: number,
  g: number,
  h: number,
  i: number,
];

/** The page set upright and straight, as its reader saw it. */
export interface Reading {
  /** In points, as the page's own size: width over height is the ratio of what one share means across and down. */
  readonly width: number;
  readonly height: number;
  /** From this frame to the page as the PDF shows it. */
  readonly toPage: Projection;
}

/** Who read the words of a page: the PDF's own text, or an engine with its languages (`tesseract rus+eng`). */
export type Reader = 'text' | (string & {});

/** One page as words and rules: what everything after the reading works on. Plain data, so it may be kept or sent. */
export interface ReadPage {
  /** From 1. */
  readonly page: number;
  /** In points (1/72 inch), as the PDF shows it. */
  readonly width: number;
  readonly height: number;
  /** How far the page must be turned clockwise for its content to stand upright: 90 for a sheet that was photographed lying. */
  readonly turn: Turn;
  /**
   * Absent: words and rules lie in the frame of the page itself. Present (always so when `turn` is not 0, or when a scan
   * was straightened): they lie in this frame, in which lines of text run level, and only {@link onPage} brings a box back.
   */
  readonly reading?: Reading;
  readonly words: readonly Word[];
  readonly rules: readonly Rule[];
  readonly reader: Reader;
}

export type Turn = 0 | 90 | 180 | 270;

/** The frame that stands upright where the page has to be turned by `turn`, without any straightening. */
export function uprightFrame(width: number, height: number, turn: Turn): Reading {
  const lying = turn === 90 || turn === 270;
  return { width: lying ? height : width, height: lying ? width : height, toPage: BACK[turn] };
}

const BACK: Record<Turn, Projection> = {
  0: [1, 0, 0, 0, 1, 0, 0, 0, 1],
  90: [0, 1, 0, -1, 0, 1, 0, 0, 1],
  180: [-1, 0, 1, 0, -1, 1, 0, 0, 1],
  270: [0, -1, 1, 1, 0, 0, 0, 0, 1],
};

/** Where a box of the reading frame lies on the page as the PDF shows it: the smallest level box around it, within the page. */
export function onPage(page: Pick<ReadPage, 'reading'>, box: Box): Box {
  return page.reading === undefined ? box : projectBox(page.reading.toPage, box);
}

/** The smallest level box around what becomes of `box`, cut at the edges of the frame it comes to. */
export function projectBox(projection: Projection, [x0, y0, x1, y1]: Box): Box {
  const corners = [
    projectPoint(projection, x0, y0),
    projectPoint(projection, x1, y0),
    projectPoint(projection, x1, y1),
    projectPoint(projection, x0, y1),
  ];
  const xs = corners.map(([x]) => Math.min(1, Math.max(0, x)));
  const ys = corners.map(([, y]) => Math.min(1, Math.max(0, y)));
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}

export function projectPoint([a, b, c, d, e, f, g, h, i]: Projection, x: number, y: number): [x: number, y: number] {
  const w = g * x + h * y + i;
  return [(a * x + b * y + c) / w, (d * x + e * y + f) / w];
}
