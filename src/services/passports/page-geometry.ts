/**
 * Left, top, right, bottom as shares (0..1) from the top left corner of the page as the PDF shows it (after /Rotate),
 * or of its {@link ReadingFrame}.
 */
export type Box = readonly [x0: number, y0: number, x1: number, y1: number];

export interface Word {
  readonly text: string;
  readonly box: Box;
  /** 0..1; null for text that the PDF contains. */
  readonly confidence: number | null;
}

/** A ruled line, horizontal (`y0 = y1`) or vertical (`x0 = x1`). */
export type Rule = Box;

/**
 * A homography in shares (0..1), row by row: (x, y) maps to ((ax + by + c) / (gx + hy + i), (dx + ey + f) / (gx + hy +
 * i)).
 */
export type Projection = readonly [number, number, number, number, number, number, number, number, number];

/** The frame of an upright, straightened page. */
export interface ReadingFrame {
  /** In points. */
  readonly width: number;
  readonly height: number;
  readonly toPage: Projection;
}

/** The PDF's text, or an OCR engine with its languages (`tesseract rus+eng`). */
export type TextSource = 'text' | (string & {});

/** The input of field extraction. Plain data, so it can be stored or sent between threads. */
export interface ReadPage {
  readonly page: number;
  /** In points (1/72 inch), as the PDF shows it. */
  readonly width: number;
  readonly height: number;
  /** Clockwise rotation to upright: 90 for a page that was photographed sideways. */
  readonly turn: Turn;
  /**
   * The frame of words and rules, in which text lines are horizontal; absent if it is the page itself. {@link toPageBox}
   * converts a box back.
   */
  readonly reading?: ReadingFrame;
  readonly words: readonly Word[];
  readonly rules: readonly Rule[];
  readonly reader: TextSource;
}

export type Turn = 0 | 90 | 180 | 270;

/** The upright frame of a page that needs rotation by `turn`, without straightening. */
export function uprightFrame(width: number, height: number, turn: Turn): ReadingFrame {
  const sideways = turn === 90 || turn === 270;
  const toPage = quarterTurn(turn, { width: 1, height: 1 });
  return { width: sideways ? height : width, height: sideways ? width : height, toPage };
}

/** Maps positions on the page rotated clockwise by `turn` to those on the original page of this size. */
export function quarterTurn(turn: Turn, { width, height }: { width: number; height: number }): Projection {
  const turns: Record<Turn, Projection> = {
    0: [1, 0, 0, 0, 1, 0, 0, 0, 1],
    90: [0, 1, 0, -1, 0, height, 0, 0, 1],
    180: [-1, 0, width, 0, -1, height, 0, 0, 1],
    270: [0, -1, width, 1, 0, 0, 0, 0, 1],
  };
  return turns[turn];
}

/** From the reading frame to the smallest enclosing box on the page. */
export function toPageBox(page: Pick<ReadPage, 'reading'>, box: Box): Box {
  return page.reading === undefined ? box : projectBox(page.reading.toPage, box);
}

/** The smallest enclosing box, clipped to the target frame. */
export function projectBox(projection: Projection, [x0, y0, x1, y1]: Box): Box {
  const corners = [
    [x0, y0],
    [x1, y0],
    [x1, y1],
    [x0, y1],
  ] as const;
  return clipBox(boxAround(corners.map(([x, y]) => projectPoint(projection, x, y))));
}

export function boxAround(points: readonly (readonly [x: number, y: number])[]): Box {
  const xs = points.map(([x]) => x);
  const ys = points.map(([, y]) => y);
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}

export const boundingBox = (boxes: readonly Box[]): Box =>
  boxAround(
    boxes.flatMap(([x0, y0, x1, y1]) => [
      [x0, y0],
      [x1, y1],
    ]),
  );

export function clipBox([x0, y0, x1, y1]: Box): Box {
  const clip = (share: number) => Math.min(1, Math.max(0, share));
  return [clip(x0), clip(y0), clip(x1), clip(y1)];
}

export function projectPoint([a, b, c, d, e, f, g, h, i]: Projection, x: number, y: number): [x: number, y: number] {
  const w = g * x + h * y + i;
  return [(a * x + b * y + c) / w, (d * x + e * y + f) / w];
}

/** Whether the centre of a box is within another one. */
export function hasCentreIn([x0, y0, x1, y1]: Box, [left, top, right, bottom]: Box): boolean {
  const [x, y] = [(x0 + x1) / 2, (y0 + y1) / 2];
  return x > left && x < right && y > top && y < bottom;
}
