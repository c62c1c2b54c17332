import type { ValueSpec } from '../../schema/schema.ts';
import { overlapIndex } from '../fields/line-index.ts';
import { middleY, type Token } from '../fields/page-tokens.ts';
import { inReadingOrder } from './group-tokens.ts';
import type { PageReading } from './page-reading.ts';

/** Adds the thousands before a number that goes on with them, but not the number of its row, or the digits after its thousands. */
export function withThousands(members: readonly number[], reading: PageReading, spec: ValueSpec): number[] {
  return withDigitsAfter(withDigitsBefore(members, reading, spec), reading, spec);
}

/** Chosen. Of a part of a number that the network doubts. */
export const MIN_DIGITS = 0.1;

/** Adds the other part of a number that is split behind its decimal comma: `15, 96`. */
export function withDecimals(
  members: readonly number[],
  { tokens, areApart, affinity, likeliest, probabilityOf }: PageReading,
  { type }: ValueSpec,
  name: string,
): number[] {
  const split = members.filter((i) => SPLIT_PART.test(tokens[i]!.text));
  if (type !== 'number' || split.length === 0) return [...members];
  const isPart = (i: number, j: number) =>
    (isSplit(tokens[i]!, tokens[j]!) || isSplit(tokens[j]!, tokens[i]!)) &&
    !areApart(i, j) &&
    // A sure number is a cell of its own.
    (likeliest(i) === 'none' || (likeliest(i) === name && affinity(i, j) > 0));
  const parts = [...tokens.keys()].filter(
    (i) => SPLIT_PART.test(tokens[i]!.text) && probabilityOf(i, name) >= MIN_DIGITS && split.some((j) => isPart(i, j)),
  );
  return [...new Set([...members, ...parts])];
}

/** `15,`, `96` */
const SPLIT_PART = /^\d{1,4},$|^\d{1,2}$/u;

const isSplit = (left: Token, right: Token): boolean =>
  right.x0 > left.x0 &&
  right.x0 - left.x1 < MAX_THOUSANDS_SPACE * (right.y1 - right.y0) &&
  Math.abs(right.y1 - left.y1) < 0.5 * (right.y1 - right.y0) &&
  /^\d{1,4}, \d{1,2}$/u.test(`${left.text} ${right.text}`);

/** Chosen. In heights of a digit; a space of typewriters is one. */
const MAX_DIGIT_SPACE = 1.2;

/** `23` before `290`, which the network takes for no part of the value. */
function withDigitsAfter(
  members: readonly number[],
  { tokens, areApart, likeliest }: PageReading,
  { type, maximum = Infinity }: ValueSpec,
): number[] {
  const found = [...members];
  let last = inReadingOrder(members.map((i) => tokens[i]!)).at(-1);
  if (type !== 'number' || maximum < 1000 || !last || !/^[1-9]\d{0,2}$/u.test(last.text)) return found;
  while (last) {
    const { x1, y0, y1 }: Token = last;
    const height = y1 - y0;
    const next = tokens.findIndex(
      (token) =>
        /^\d{3}(?:[.,]\d{1,2})?$/u.test(token.text) &&
        token.x0 >= x1 &&
        token.x0 - x1 < MAX_DIGIT_SPACE * height &&
        Math.abs(middleY(token) - 0.5 * (y0 + y1)) < 0.3 * height,
    );
    const isPart: boolean =
      next >= 0 && !found.includes(next) && likeliest(next) === 'none' && !areApart(next, tokens.indexOf(last));
    if (isPart) found.push(next);
    last = isPart ? tokens[next] : undefined;
  }
  return found;
}

/** In heights of a digit. Measured: the space of DejaVu Sans after a `1` is 0.65. */
const MAX_THOUSANDS_SPACE = 0.7;

function withDigitsBefore(
  members: readonly number[],
  { tokens, areApart, likeliest }: PageReading,
  { type }: ValueSpec,
): number[] {
  const [first, second] = inReadingOrder(members.map((i) => tokens[i]!));
  if (type !== 'number' || !first || !/^\d{3}(?!\d)/u.test(first.text)) return [...members];
  // In heights of a digit; `051.3` is no number of its own.
  const reach = first.text.startsWith('0') ? 1 : MAX_THOUSANDS_SPACE;
  const space = second ? widthOfSpace(first, second) : 0;
  // Of `в сумме 9 140,00`, whose spaces are as wide as others of the line.
  const spaceBefore = (token: Token) =>
    Math.max(
      0,
      ...overlapIndex(tokens)(token.y0, token.y1).map((i) => {
        const [word, height] = [tokens[i]!, token.y1 - token.y0];
        const gap = token.x0 - word.x1;
        const isWord = /\p{L}{3}$/u.test(word.text) && Math.abs(middleY(word) - middleY(token)) < 0.5 * height;
        return isWord && gap > 0 && gap < MAX_DIGIT_SPACE * height ? gap : 0;
      }),
    );
  const isOfValue = (i: number) => ['none', likeliest(members[0]!)].includes(likeliest(i));
  const thousands = tokens.findIndex(
    ({ text, x1, y0, y1 }, i) =>
      /^\d{1,3}$/u.test(text) &&
      x1 <= first.x0 &&
      y0 < first.y1 &&
      y1 > first.y0 &&
      first.x0 - x1 < Math.max(reach * (y1 - y0), isOfValue(i) ? 1.1 * Math.max(space, spaceBefore(tokens[i]!)) : 0),
  );
  const isFirst = (at: Token) => !tokens.some(({ x1, y0, y1 }) => x1 <= at.x0 && y0 < at.y1 && y1 > at.y0);
  const isNumbering = (at: Token) =>
    isFirst(at) &&
    tokens.some((other) => other !== at && /^\d{1,3}$/u.test(other.text) && Math.abs(other.x0 - at.x0) < 2);
  const isPart =
    thousands >= 0 &&
    !members.includes(thousands) &&
    !areApart(thousands, tokens.indexOf(first)) &&
    !isNumbering(tokens[thousands]!);
  return isPart ? [...members, thousands] : [...members];
}

/** Of `638 875` in wide type, after whose millions it is as wide; otherwise 0. */
function widthOfSpace(left: Token, right: Token): number {
  const height = left.y1 - left.y0;
  const width = right.x0 - left.x1;
  const isOne =
    /^\d{3}$/u.test(left.text) &&
    /^\d{3}(?!\d)/u.test(right.text) &&
    Math.abs(middleY(right) - middleY(left)) < 0.3 * height &&
    width < MAX_DIGIT_SPACE * height;
  return isOne ? width : 0;
}
