import type { Word } from '../../page-geometry.ts';
import type { Glyph } from './page-words.ts';
import type { Stroke } from './rules.ts';

/** Glyphs and strokes without the check boxes, which are words `☐` and `☑`. */
export interface DrawnBoxes {
  readonly boxes: readonly Word[];
  readonly glyphs: readonly Glyph[];
  readonly strokes: readonly Stroke[];
}

/**
 * Finds squares drawn beside text, empty or with a mark: check boxes, which are no text in a PDF. As in scans, a marked square is
 * one only if the page also has an empty one of its size, and squares side by side are boxes for one character each.
 */
export function takeCheckBoxes(
  glyphs: readonly Glyph[],
  strokes: readonly Stroke[],
  page: { width: number; height: number },
): DrawnBoxes {
  const squares = strokes.length > MAX_STROKES ? [] : findSquares(strokes).slice(0, MAX_SQUARES);
  const visible = squares.length === 0 ? [] : glyphs.filter(({ text }) => text.trim() !== '');
  const described = squares.flatMap((square) => {
    const inside = visible.filter(({ glyphBox }) => isInside(square, glyphBox));
    const text = inside.map((glyph) => glyph.text).join('');
    const isRow = squares.some((other) => other !== square && isSimilar(square, other) && isBeside(square, other, 0.6));
    const hasText = visible.some(({ glyphBox }) => isBeside(square, glyphBox, MAX_SPACE));
    if (isRow || !hasText || !MARK.test(text)) return [];
    const isDrawn = strokes.some((stroke) => !square.sides.includes(stroke) && isMark(stroke, square));
    return [{ square, inside, isTicked: text !== '' || isDrawn }];
  });
  const boxes = described.filter(
    ({ square, isTicked }) =>
      !isTicked || described.some((other) => !other.isTicked && isSimilar(other.square, square)),
  );
  if (boxes.length === 0) return { boxes: [], glyphs, strokes };
  const marks = new Set(boxes.flatMap(({ inside }) => inside));
  const sides = new Set(boxes.flatMap(({ square }) => square.sides));
  return {
    boxes: boxes.map(({ square: { box }, isTicked }) => ({
      text: isTicked ? '☑' : '☐',
      box: [box[0] / page.width, box[1] / page.height, box[2] / page.width, box[3] / page.height],
      confidence: null,
    })),
    glyphs: glyphs.filter((glyph) => !marks.has(glyph)),
    strokes: strokes.filter((stroke) => !sides.has(stroke)),
  };
}

// In points.
const MIN_SIDE = 5.5;
const MAX_SIDE = 17;
const MIN_ASPECT = 0.8;
/** To the text beside a box, in sides. */
const MAX_SPACE = 1.5;
/** None, or a cross or a tick as a letter or sign. */
const MARK = /^(?:[XxХхVv]|[^\p{L}\p{N}])?$/u;
/** Of a page: the time grows with their product. Floor plans have more strokes, forms with check boxes fewer. */
const MAX_STROKES = 20_000;
const MAX_SQUARES = 300;
/** The time grows with the square of short strokes. */
const MAX_SHORT_STROKES = 2000;

interface Square {
  readonly box: Stroke;
  readonly sides: readonly Stroke[];
}

/** Squares of four strokes that do not continue at the corners. */
function findSquares(strokes: readonly Stroke[]): Square[] {
  const sides = strokes.map((stroke) => ({ stroke, box: sorted(stroke) }));
  const isNear = (a: number, b: number) => Math.abs(a - b) < 1;
  const level = sides.filter(({ box: [x0, y0, x1, y1] }) => y1 - y0 < 0.6 && x1 - x0 >= MIN_SIDE);
  const upright = sides.filter(({ box: [x0, y0, x1, y1] }) => x1 - x0 < 0.6 && y1 - y0 >= MIN_SIDE);
  const short = level.filter(({ box }) => box[2] - box[0] <= MAX_SIDE);
  if (short.length > MAX_SHORT_STROKES || upright.length > 2 * MAX_SHORT_STROKES) return [];
  const found: Square[] = [];
  for (const top of short) {
    const [x0, y0, x1] = top.box;
    const width = x1 - x0;
    const bottom = short.find(({ box }) => {
      const height = box[1] - y0;
      return (
        Math.min(width, height) >= MIN_ASPECT * Math.max(width, height) && isNear(box[0], x0) && isNear(box[2], x1)
      );
    });
    if (!bottom) continue;
    const y1 = bottom.box[1];
    const touching = [
      ...upright.filter(({ box }) => (isNear(box[0], x0) || isNear(box[0], x1)) && box[1] < y1 + 1 && box[3] > y0 - 1),
      ...level.filter(({ box }) => (isNear(box[1], y0) || isNear(box[1], y1)) && box[0] < x1 + 1 && box[2] > x0 - 1),
    ];
    const isClosed = [x0, x1].every((x) => touching.some(({ box }) => isNear(box[0], x) && isNear(box[2], x)));
    const isAlone = touching.every(
      ({ box }) => box[0] > x0 - 1 && box[1] > y0 - 1 && box[2] < x1 + 1 && box[3] < y1 + 1,
    );
    const isKnown = found.some(({ box }) => isNear(box[0], x0) && isNear(box[1], y0));
    if (isClosed && isAlone && !isKnown)
      found.push({ box: [x0, y0, x1, y1], sides: touching.map(({ stroke }) => stroke) });
  }
  return found;
}

const sorted = ([x0, y0, x1, y1]: Stroke): Stroke => [
  Math.min(x0, x1),
  Math.min(y0, y1),
  Math.max(x0, x1),
  Math.max(y0, y1),
];

const isInside = ({ box: [x0, y0, x1, y1] }: Square, [a, b, c, d]: Stroke): boolean =>
  (a + c) / 2 > x0 && (a + c) / 2 < x1 && (b + d) / 2 > y0 && (b + d) / 2 < y1;

const isSimilar = (a: Square, b: Square): boolean =>
  Math.abs(a.box[2] - a.box[0] - b.box[2] + b.box[0]) < 0.15 * (a.box[2] - a.box[0]);

/** Left or right of the square on its line, with a space of at most `most` sides. */
function isBeside({ box: [x0, y0, x1, y1] }: Square, other: Square | Stroke, most: number): boolean {
  const [a, b, c, d] = 'box' in other ? other.box : other;
  const middle = (b + d) / 2;
  const space = Math.max(a - x1, x0 - c);
  return middle > y0 && middle < y1 && space > -1 && space < most * (x1 - x0);
}

/** A slanted stroke within the square or across its outline. */
function isMark(stroke: Stroke, { box: [x0, y0, x1, y1] }: Square): boolean {
  const [a, b, c, d] = sorted(stroke);
  const side = x1 - x0;
  const isWithin = a > x0 - 0.5 * side && c < x1 + 0.5 * side && b > y0 - 0.5 * side && d < y1 + 0.5 * side;
  return isWithin && Math.min(c - a, d - b) > 0.15 * side && c > x0 && a < x1 && d > y0 && b < y1;
}
