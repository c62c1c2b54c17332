import type { Grey } from './grey.ts';
import { type Ink, type Mark, marksOf } from './ink.ts';
import type { Ruled } from './rules.ts';
import { lettersOf, median } from './text-lines.ts';

/** A piece of a line of text, as far as no rule and no wide gap cuts it; whole pixels, `right` and `bottom` just outside. */
export interface Piece {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/**
 * Where text stands on a page whose lines run level and whose rules were erased (`rules` says where they were), from the
 * top down. A recognizer that is shown one piece at a time overlooks nothing: lone digits of a table's column are what
 * the layout analysis of whole pages loses first.
 */
export function piecesOf(ink: Ink, { level, plumb }: Ruled): { pieces: Piece[]; letterHeight: number } {
  const marks = marksOf(ink);
  const height = median(lettersOf(marks).map((mark) => mark.bottom - mark.top));
  if (height === 0) return { pieces: [], letterHeight: 0 };
  const fits = (mark: Mark) => mark.bottom - mark.top < 4.5 * height && mark.right - mark.left < 15 * height;
  const isLetter = (mark: Mark) => mark.bottom - mark.top > 0.45 * height && fits(mark);
  const boxes = linesOf(marks.filter(isLetter), height, plumb);
  // What is small goes with what it stands at: commas, dots, accents, halves of a broken digit.
  const isSmall = (box: Piece) => box.bottom - box.top < 0.8 * height && box.right - box.left < 1.5 * height;
  const small = [...boxes.filter(isSmall), ...marks.filter((mark) => !isLetter(mark) && fits(mark) && mark.area >= 4)];
  const pieces = boxes.filter((box) => !isSmall(box)).map((box) => ({ ...box, high: box.bottom - box.top }));
  const alone: Piece[] = [];
  for (const mark of small) {
    const own = pieces.find((piece) => standsAt(piece, mark));
    if (own) Object.assign(own, around([own, mark]));
    else if (isLetter({ ...mark, area: 0 }) || isDash(mark, height, level)) alone.push(mark);
  }
  const found = [...pieces, ...alone].map(({ left, top, right, bottom }) => ({ left, top, right, bottom }));
  return { pieces: widest(found).sort((a, b) => a.top - b.top || a.left - b.left), letterHeight: height };
}

/** A plan or a photo is a thousand scraps of which none is text: no page has more pieces than this. */
const MOST = 1000;

const widest = (pieces: Piece[]): Piece[] =>
  pieces.length <= MOST ? pieces : pieces.sort((a, b) => b.right - b.left - (a.right - a.left)).slice(0, MOST);

const standsAt = ({ left, right, top, bottom, high }: Piece & { high: number }, mark: Piece): boolean =>
  mark.right > left - 0.5 * high &&
  mark.left < right + 0.5 * high &&
  mark.bottom > top - 0.4 * high &&
  mark.top < bottom + 0.3 * high;

/** A dash alone, as in an empty cell; what lies along a rule is the rest of it. */
function isDash({ left, right, top, bottom }: Piece, height: number, level: Ruled['level']): boolean {
  const long = right - left;
  if (bottom - top > 0.4 * height || long < 0.5 * height || long > 4 * height) return false;
  return !level.some(
    ({ x0, y0, x1, y1 }) =>
      left > x0 - long && right < x1 + long && Math.abs((y0 + y1 - top - bottom) / 2) < 0.5 * height,
  );
}

/** Lines of letters, from left to right: each goes on the line that is at its height. */
function linesOf(letters: readonly Mark[], height: number, plumb: Ruled['plumb']): Piece[] {
  const lines: { letters: Mark[]; near: Piece }[] = [];
  let open: typeof lines = [];
  for (const letter of [...letters].sort((a, b) => a.left - b.left)) {
    open = open.filter(({ near }) => letter.left - near.right < 6 * height);
    let best: (typeof lines)[number] | undefined;
    // A comma hangs below its line; a letter that shares less of its height with a line than this is of another one.
    let most = 0.5;
    for (const line of open) {
      const shared = sharedHeight(line.near, letter);
      if (shared < most || letter.left - line.near.right > gapAfter(line.near, height)) continue;
      if (isCut(line.near, letter, plumb)) continue;
      best = line;
      most = shared;
    }
    if (best) {
      best.letters.push(letter);
      best.near = around(best.letters.slice(-4));
    } else {
      const line = { letters: [letter], near: letter };
      lines.push(line);
      open.push(line);
    }
  }
  return lines.map((line) => around(line.letters));
}

const gapAfter = (near: Piece, height: number) => Math.max(1.7 * height, near.bottom - near.top);

/** As a share of the lower of the two: a small letter among capitals is of their line. */
function sharedHeight(near: Piece, letter: Piece): number {
  const shared = Math.min(letter.bottom, near.bottom) - Math.max(letter.top, near.top);
  return shared / Math.min(letter.bottom - letter.top, near.bottom - near.top);
}

function isCut(near: Piece, letter: Piece, plumb: Ruled['plumb']): boolean {
  const y = (letter.top + letter.bottom) / 2;
  return plumb.some((line) => {
    const x = line.x0 + ((line.x1 - line.x0) * (y - line.y0)) / Math.max(1, line.y1 - line.y0);
    return y > line.y0 && y < line.y1 && x > near.right - 4 && x < letter.left + 4;
  });
}

function around(marks: readonly Piece[]): Piece {
  return {
    left: Math.min(...marks.map(({ left }) => left)),
    top: Math.min(...marks.map(({ top }) => top)),
    right: Math.max(...marks.map(({ right }) => right)),
    bottom: Math.max(...marks.map(({ bottom }) => bottom)),
  };
}

/** Paper around a piece, in pixels of the page: without some, first and last letters are misread. */
export const MARGIN = { across: 4, down: 8 };

/**
 * The piece alone on white paper, with a {@link MARGIN} around it, shrunk to `scale` of its size (at most 1): each pixel
 * is the mean of what it covers.
 */
export function cutOut(page: Grey, { left, top, right, bottom }: Piece, scale: number): Grey {
  const width = Math.ceil((right - left + 2 * MARGIN.across) * scale);
  const height = Math.ceil((bottom - top + 2 * MARGIN.down) * scale);
  const data = new Uint8Array(width * height);
  // What stands beside the piece is another's. The grey edge of its ink is its own.
  const own = {
    left: Math.max(0, left - 2),
    right: Math.min(page.width, right + 2),
    top: Math.max(0, top - 2),
    bottom: Math.min(page.height, bottom + 2),
  };
  for (let v = 0; v < height; v++) {
    const y0 = Math.floor(v / scale) + top - MARGIN.down;
    const y1 = Math.max(y0 + 1, Math.floor((v + 1) / scale) + top - MARGIN.down);
    for (let u = 0; u < width; u++) {
      const x0 = Math.floor(u / scale) + left - MARGIN.across;
      const x1 = Math.max(x0 + 1, Math.floor((u + 1) / scale) + left - MARGIN.across);
      let sum = 0;
      for (let y = y0; y < y1; y++) {
        const inside = y >= own.top && y < own.bottom;
        for (let x = x0; x < x1; x++)
          sum += inside && x >= own.left && x < own.right ? page.data[y * page.width + x]! : 255;
      }
      data[v * width + u] = sum / ((y1 - y0) * (x1 - x0));
    }
  }
  return { width, height, data };
}
