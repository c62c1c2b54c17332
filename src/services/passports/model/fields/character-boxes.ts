import { median } from '../../../../base/median.ts';
import { type Box, boundingBox, hasCentreIn, type ReadPage, type Rule, type Word } from '../../page-geometry.ts';

/**
 * Joins the characters in adjacent boxes of equal size, one character per box, to words, and removes the rules between
 * these boxes and, outside tables, between groups of them. An empty box separates two words. A decimal separator printed
 * between the boxes belongs to their number.
 */
export function joinBoxedCharacters(page: ReadPage): ReadPage {
  const joined = new Map<Word, Word | undefined>();
  const removed = new Set<Rule>();
  const lines = findBoxLines(page, 2);
  for (const line of lines) {
    const { boxes, isBox, between } = line;
    const inside = boxes.map((box) => page.words.filter((word) => hasCentreIn(word.box, box)));
    if (inside.some((words, i) => isBox[i] && words.map(({ text }) => text).join('').length > 1)) continue;
    const hasDigit = (i: number) => isBox[i] && inside[i]?.length === 1 && /^\d$/u.test(inside[i]![0]!.text);
    const isPair = boxes.length === 2 && boxes.every((_, i) => hasDigit(i)) && !lines.some((one) => isRowOf(one, line));
    if (isBox.filter(Boolean).length === 2 && !isPair) continue;
    for (const rule of between) removed.add(rule);
    const isNarrow = (i: number) => widthOf(boxes[i]!) < widthOf(boxes[i - 1]!);
    const isSeparator = (i: number) =>
      !isBox[i] && inside[i]?.length === 1 && /^[.,]$/u.test(inside[i]![0]!.text) && isNarrow(i);
    const stepFrom = (i: number): number => {
      if (hasDigit(i) && isSeparator(i + 1) && hasDigit(i + 2)) return 2;
      return isBox[i] && isBox[i + 1] && inside[i]!.length > 0 && inside[i + 1]!.length > 0 ? 1 : 0;
    };
    for (let i = 0; i < inside.length; i++) {
      const from = i;
      for (let step = stepFrom(i); step > 0; step = stepFrom(i)) i += step;
      const [first, ...rest] = inside.slice(from, i + 1).flat();
      if (!first || rest.length === 0 || !isBox[from]) continue;
      joined.set(first, joinWords([first, ...rest]));
      for (const word of rest) joined.set(word, undefined);
    }
  }
  if (removed.size === 0) return page;
  const words = page.words.flatMap((word) => (joined.has(word) ? (joined.get(word) ?? []) : word));
  return { ...page, words, rules: page.rules.filter((rule) => !removed.has(rule)) };
}

/** Whether both are rows of a table: boxes at the same place above each other. */
const isRowOf = (one: BoxLine, other: BoxLine): boolean => {
  const [[x0, y0, x1], [x, y]] = [one.boxes[0]!, other.boxes[0]!];
  return one !== other && Math.abs(x0 - x) < 0.5 * (x1 - x0) && Math.abs(y0 - y) < 2 * heightOf(other.boxes[0]!);
};

const heightOf = ([, y0, , y1]: Box): number => y1 - y0;
const widthOf = ([x0, , x1]: Box): number => x1 - x0;

/** A line of boxes, from left to right, with the gaps between its groups of boxes. */
export interface BoxLine {
  readonly boxes: readonly Box[];
  /** Whether each of `boxes` has the size of the others. */
  readonly isBox: readonly boolean[];
  /** The vertical rules between the boxes, which separate no cells. */
  readonly between: readonly Rule[];
}

/** Finds lines of at least `fewest` boxes of equal size; more in a table whose lines share their rules. */
export function findBoxLines(
  { rules, ...page }: Pick<ReadPage, 'rules' | 'width' | 'height' | 'reading'>,
  fewest = 3,
): BoxLine[] {
  const { width, height } = page.reading ?? page;
  const isVertical = ([x0, y0, x1, y1]: Rule) => (x1 - x0) * width < (y1 - y0) * height;
  const across = rules.filter((rule) => !isVertical(rule));
  const upright = rules.filter(isVertical);
  const parts = upright.flatMap((rule) => cut(rule, across, width, height));
  const sides = parts.length > MAX_SIDES ? upright.flatMap((rule) => cut(rule, [], width, height)) : parts;
  return linesOf(sides, SAME_SIDE / width).flatMap((line): BoxLine[] => {
    const { y0, y1 } = line[0]!;
    const gaps = line.slice(1).map(({ x }, i) => x - line[i]!.x);
    const size = median(gaps);
    const isOfSize = gaps.map((gap) => Math.abs(gap - size) <= TOLERANCE * size);
    const ratio = (size * width) / ((y1 - y0) * height);
    const isTable = line.some(({ isPart }) => isPart);
    const isGrid = line.some(({ touches }) => touches);
    const count = isOfSize.filter(Boolean).length;
    if (count < (isGrid ? MIN_GRID_BOXES : isTable ? MIN_BOXES : fewest) || ratio < MIN_RATIO || ratio > MAX_RATIO)
      return [];
    if ((y1 - y0) * height > MAX_HEIGHT) return [];
    // Every box has an outline of its own; a few such gaps are those between groups.
    const isJoint = gaps.map((gap) => gap < MAX_JOINT * size);
    const isApart = isJoint.filter(Boolean).length >= 0.5 * count;
    const isBlank = gaps.map((gap, i) => isOfSize[i] || (isTable ? isApart && isJoint[i]! : gap < size));
    const boxes = gaps.flatMap((gap, i) => ((isApart && isJoint[i]) || gap < MIN_GAP * size ? [] : [i]));
    return [
      {
        boxes: boxes.map((i): Box => [line[i]!.x, y0, line[i + 1]!.x, y1]),
        isBox: boxes.map((i) => isOfSize[i]!),
        between: line.filter((_, i) => isBlank[i] && isBlank[i - 1]).flatMap((side) => side.rules),
      },
    ];
  });
}

/** Between rules that go on above or below. */
const MIN_BOXES = 3;
/** Narrow columns of a table have a few cells with one digit each. */
const MIN_GRID_BOXES = 6;
// Chosen: of the width of a box, and of width to height.
const TOLERANCE = 0.15;
const MIN_RATIO = 0.4;
// Wider cells are those of a table with a digit each.
const MAX_RATIO = 1.3;
/** Of the width of a box. */
const MAX_JOINT = 0.3;
/** Between groups; a side of a scan may be found twice. */
const MIN_GAP = 0.15;
/** Of a page: the time grows with their square. A floor plan in a grid has more. */
const MAX_SIDES = 5000;
/** In points: 11 mm. Higher rectangles of equal size are part of a drawing. */
const MAX_HEIGHT = 31;
/** In points. Shorter parts are the space between two lines of boxes; faint rules of a scan begin late by less. */
const MIN_SIDE = 5;
// In points. Borders of boxes side by side are up to a point apart.
const SAME_SIDE = 1.2;
/** Of the height of a box: the space between two lines of boxes that share no rules. */
const MAX_SPACE = 0.5;

/** A side of a box: a vertical rule, or a part of one. */
interface Side {
  /** Several if the rule was found in pieces beside each other. */
  readonly rules: Rule[];
  readonly x: number;
  readonly y0: number;
  readonly y1: number;
  readonly isPart: boolean;
  /** Whether another part of the rule, about as long as this one, follows it without a space. */
  readonly touches: boolean;
}

/** Cuts a vertical rule where others cross it, and lets it end at those that it nearly meets. */
function cut(rule: Rule, across: readonly Rule[], width: number, height: number): Side[] {
  const [x0, y0, x1, y1] = rule;
  const x = (x0 + x1) / 2;
  const [dx, dy] = [1.5 / width, MIN_SIDE / height];
  const near = Math.min(dy, 0.3 * (y1 - y0));
  const crossings = across
    .filter(([left, , right]) => left < x + dx && right > x - dx)
    .map(([, top, , bottom]) => (top + bottom) / 2)
    .sort((a, b) => a - b);
  const nearest = (end: number) =>
    crossings.reduce((best, y) => (Math.abs(y - end) < Math.abs(best - end) ? y : best), Infinity);
  const [first, last] = [y0, y1].map((end) => (Math.abs(nearest(end) - end) < near ? nearest(end) : end)) as [
    number,
    number,
  ];
  const inner = crossings.filter((y) => y > y0 + near && y < y1 - near);
  const ends = [first, ...inner, last];
  const lengths = ends.slice(1).map((end, i) => end - ends[i]!);
  return lengths
    .map((length, i): Side => {
      const isBeside = (other = 0) => other > MAX_SPACE * length;
      const touches = isBeside(lengths[i - 1]) || isBeside(lengths[i + 1]);
      return { rules: [rule], x, y0: ends[i]!, y1: ends[i + 1]!, isPart: inner.length > 0, touches };
    })
    .filter(({ y0, y1, isPart }) => !isPart || y1 - y0 >= dy);
}

/** Sides of equal height beside each other, from left to right. */
function linesOf(sides: readonly Side[], sameSide: number): Side[][] {
  const lines: Side[][] = [];
  for (const side of [...sides].sort((a, b) => a.x - b.x)) {
    const isLevel = (line: readonly Side[]) => {
      const last = line.at(-1)!;
      return Math.abs(last.y0 - side.y0) + Math.abs(last.y1 - side.y1) < TOLERANCE * (side.y1 - side.y0);
    };
    const line = lines.find(isLevel);
    const last = line?.at(-1);
    if (last && side.x - last.x < sameSide) last.rules.push(...side.rules);
    else if (line) line.push(side);
    else lines.push([side]);
  }
  return lines;
}

const joinWords = (words: readonly [Word, ...Word[]]): Word => ({
  text: words.map(({ text }) => text).join(''),
  box: boundingBox(words.map(({ box }) => box)),
  confidence: words[0].confidence === null ? null : Math.min(...words.map(({ confidence }) => confidence ?? 1)),
});
