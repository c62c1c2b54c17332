import { createOnce } from '../../../../base/create-once.ts';
import { joinText, middleY, type Token } from '../fields/page-tokens.ts';
import type { PageReading } from './page-reading.ts';

/** Tokens that the network takes for one value, or for one cell of a row, in reading order. */
export interface TokenGroup {
  readonly tokens: readonly Token[];
  /** 0..1: mean probability of the class. */
  readonly score: number;
  /** 0..1: the lowest of these probabilities. */
  readonly lowest: number;
}

// Below the even chance, since the loss of a word costs more than a doubtful one.
const MIN_SHARE = 0.4;

/** Indices of the tokens of a class. */
export function membersOf({ tokens, probabilityOf, likeliest }: PageReading, name: string): number[] {
  return tokens.flatMap((_, i) => (likeliest(i) === name || probabilityOf(i, name) >= MIN_SHARE ? [i] : []));
}

/**
 * Joins members that the network puts into the same value or row: pairs by falling affinity, as long as the mean affinity
 * between both groups is positive (average linkage), so that one doubtful pair does not join two rows.
 */
export function connect(members: readonly number[], { tokens, affinity: between }: PageReading): number[][] {
  // Parts of one word stay together: 4471/12.
  const affinity = (a: number, b: number) => (tokens[a]!.word === tokens[b]!.word ? SAME_WORD : between(a, b));
  const count = Math.min(members.length, MAX_MEMBERS);
  // The sums of affinities between two groups, by the first place of each.
  const sums = new Float64Array(count * count);
  const pairs: { a: number; b: number; value: number }[] = [];
  for (let a = 0; a < count; a++) {
    for (let b = a + 1; b < count; b++) {
      const value = affinity(members[a]!, members[b]!);
      sums[a * count + b] = value;
      sums[b * count + a] = value;
      if (value > 0) pairs.push({ a, b, value });
    }
  }
  const groups = members.map((_, place) => ({ first: place, places: [place] }));
  for (const { a, b } of pairs.sort((one, other) => other.value - one.value)) {
    const [left, right] = [groups[a]!, groups[b]!];
    if (left === right || sums[left.first * count + right.first]! <= 0) continue;
    for (let other = 0; other < count; other++) {
      const sum = sums[left.first * count + other]! + sums[right.first * count + other]!;
      sums[left.first * count + other] = sum;
      sums[other * count + left.first] = sum;
    }
    left.places.push(...right.places);
    for (const place of right.places) groups[place] = left;
  }
  return [...new Set(groups)].map(({ places }) => places.map((place) => members[place]!));
}

const SAME_WORD = 1000;
// A page of 300 rooms; the time grows with the square.
const MAX_MEMBERS = 1500;

/** The tokens of a value with the punctuation between them. */
export function groupOf(members: readonly number[], reading: PageReading, name: string): TokenGroup {
  const { tokens, probabilityOf } = reading;
  const chosen = members.map((i) => tokens[i]!);
  const probabilities = members.map((i) => probabilityOf(i, name));
  return {
    tokens: withPunctuation(inReadingOrder(chosen), reading),
    score: probabilities.reduce((sum, one) => sum + one, 0) / members.length,
    lowest: Math.min(...probabilities),
  };
}

/** Sorts by lines from top to bottom, and from left to right within a line. */
export function inReadingOrder(tokens: readonly Token[]): Token[] {
  const lines: Token[][] = [];
  for (const token of [...tokens].sort((a, b) => a.x0 - b.x0)) {
    const distance = (line: readonly Token[]) => Math.abs(middleY(line.at(-1)!) - middleY(token));
    const [nearest] = lines
      .filter((line) => follows(line.at(-1)!, token))
      .sort((one, other) => distance(one) - distance(other));
    if (nearest) nearest.push(token);
    else lines.push([token]);
  }
  const place = (line: readonly Token[]) => line.reduce((sum, one) => sum + middleY(one), 0) / line.length;
  return lines.sort((a, b) => place(a) - place(b)).flat();
}

/** Boxes of OCR may be as high as two lines: words above each other are of two lines nevertheless. */
function follows(last: Token, token: Token): boolean {
  const overlap = Math.min(last.x1, token.x1) - Math.max(last.x0, token.x0);
  const isOnLine = Math.abs(middleY(last) - middleY(token)) <= 0.55 * Math.max(height(last), height(token));
  return isOnLine && overlap <= 0.3 * Math.min(width(last), width(token));
}

const height = ({ y0, y1 }: Token): number => y1 - y0;
const width = ({ x0, x1 }: Token): number => x1 - x0;

/**
 * Adds tokens without letters and digits that stand between two neighbours of one line (dashes, slashes, №), and dashes and the №
 * of a number at a line break.
 */
function withPunctuation(chosen: readonly Token[], { tokens, areApart }: PageReading): Token[] {
  const marks = marksOf(tokens).filter((token) => !chosen.includes(token));
  const isOn = (line: Token, mark: Token) => mark.y0 < line.y1 && mark.y1 > line.y0;
  const markBefore = (word: Token) =>
    marks.find(
      (mark) =>
        isOn(word, mark) &&
        mark.x1 <= word.x0 &&
        word.x0 - mark.x1 < MAX_DASH_SPACE * height(word) &&
        !areApart(tokens.indexOf(mark), tokens.indexOf(word)),
    );
  const isWrap = (token: Token, next: Token) => next.x0 <= token.x0 || !isOn(token, next);
  // A list of items has a dash before each, or before each but the first.
  const marked = chosen.filter((word, i) => (i === 0 || isWrap(chosen[i - 1]!, word)) && markBefore(word));
  const isList = marked[0] === chosen[0] || marked.length > 1;
  return chosen.flatMap((token, i) => {
    const next = chosen[i + 1];
    if (!next) return [token];
    const isWrapped = isWrap(token, next);
    const leading = isWrapped ? markBefore(next) : undefined;
    const isNumber = /^\d/u.test(next.text);
    if (leading) return (leading.text === '№' ? isNumber : isDash(leading) && !isList) ? [token, leading] : [token];
    const between = marks.filter(
      (mark) =>
        mark.sheet === token.sheet &&
        mark.x0 >= token.x1 - 1 &&
        (isWrapped
          ? (isDash(mark) || (mark.text === '№' && isNumber)) &&
            mark.x0 - token.x1 < MAX_DASH_SPACE * height(token) &&
            !areApart(tokens.indexOf(mark), tokens.indexOf(token))
          : mark.x1 <= next.x0 + 1) &&
        isOn(token, mark),
    );
    return [token, ...between];
  });
}

// Chosen. In heights of a word; the space of typewriters is higher than `подвал`.
const MAX_DASH_SPACE = 1.5;

const marksOf = createOnce((tokens: readonly Token[]) =>
  tokens.filter(({ text }) => !/[\p{L}\d]/u.test(text) && !/^[|│¦_.…]+$/u.test(text)),
);

const isDash = ({ text }: Token): boolean => /^[—–]$/u.test(text);

/** The text of tokens; characters in separate boxes are joined. */
export function textOf(tokens: readonly Token[]): string {
  const single = tokens.filter(({ text }) => [...text].length === 1).length;
  const text = joinText(tokens);
  return tokens.length >= 4 && single > 0.8 * tokens.length ? text.replaceAll(' ', '') : text;
}
