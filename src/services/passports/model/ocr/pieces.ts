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
export function piecesOf(ink: Ink, { level, plumb }: Ruled): Piece[] {
  const marks = marksOf(ink);
  const height = median(lettersOf(marks).map((mark) => mark.bottom - mark.top));
  if (height === 0) return [];
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
  return [...pieces, ...alone]
    .map(({ left, top, right, bottom }) => ({ left, top, right, bottom }))
    .sort((a, b) => a.top - b.top || a.left - b.left);
}

const standsAt = ({ left, right, top, bottom, high }: Piece & { high: number }, mark: Piece): boolean =>
  mark.right > left - 0.5 * high &&
  mark.left < right + 0.5 * high &&
  mark.bottom > top - 0.4 * high &&
  mark.top < bottom + 0.3 * high;

/** A dash alone, as in an empty cell; what lies along a rule is the rest of it. */
function isDash({ left, right, top, bottom }: Piece, height: number, level: Ruled['level']): boolean {
  const long = right - left;
  if (bottom - top > 0.4 * height || long < 0.5 * height || long > 4 * height) return false;
  return !level.some(({ x0, y0, x1, y1 }) => left > x0 - long && right < x1 + long && Math.abs((y0 + y1 - top - bottom) / 2) < 0.5 * height);
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

/** Paper around a piece, in pixels: without some, first and last letters are misread. */
export const MARGIN = 6;

/** The piece alone, on white paper with a {@link MARGIN} on each side. */
export function cutOut({ width, height, data }: Grey, { left, top, right, bottom }: Piece): Grey {
  const across = right - left + 2 * MARGIN;
  const cut = new Uint8Array(across * (bottom - top + 2 * MARGIN)).fill(255);
  // A pixel more than the ink on each side: its edge is grey.
  const from = Math.max(0, left - 2);
  const to = Math.min(width, right + 2);
  for (let y = Math.max(0, top - 2); y < Math.min(height, bottom + 2); y++) {
    cut.set(data.subarray(y * width + from, y * width + to), (y - top + MARGIN) * across + MARGIN + from - left);
  }
  return { width: across, height: bottom - top + 2 * MARGIN, data: cut };
}
