import { median } from '../../../../base/median.ts';
import { boundingBox, type ReadPage, type Rule, type Word } from '../../page-geometry.ts';

/**
 * Joins the characters in adjacent boxes of equal size, one character per box, to words, and removes the rules between
 * these boxes and between groups of them. An empty box separates two words.
 */
export function joinBoxedCharacters(page: ReadPage): ReadPage {
  const { width, height } = page.reading ?? page;
  const joined = new Map<Word, Word | undefined>();
  const removed = new Set<Rule>();
  for (const line of linesOf(page.rules.filter(([x0, y0, x1, y1]) => (x1 - x0) * width < (y1 - y0) * height))) {
    const [, top, , bottom] = line[0]!;
    const gaps = line.slice(1).map(([x0], i) => x0 - line[i]![0]);
    const size = median(gaps);
    const isBox = gaps.map((gap) => Math.abs(gap - size) <= TOLERANCE * size);
    const ratio = (size * width) / ((bottom - top) * height);
    if (isBox.filter(Boolean).length < MIN_BOXES || ratio < MIN_RATIO || ratio > MAX_RATIO) continue;
    const boxes = gaps.map((_, i) =>
      page.words.filter((word) => isWithin(word, [line[i]![0], top, line[i + 1]![0], bottom])),
    );
    if (boxes.some((words, i) => isBox[i] && words.map(({ text }) => text).join('').length > 1)) continue;
    const isBlank = gaps.map((gap) => gap <= (1 + TOLERANCE) * size);
    for (const [i, rule] of line.entries()) if (isBlank[i] && isBlank[i - 1]) removed.add(rule);
    for (let i = 0; i < boxes.length; i++) {
      const from = i;
      while (isBox[i] && isBox[i + 1] && boxes[i]!.length > 0 && boxes[i + 1]!.length > 0) i++;
      const [first, ...rest] = boxes.slice(from, i + 1).flat();
      if (!first || rest.length === 0 || !isBox[from]) continue;
      joined.set(first, joinWords([first, ...rest]));
      for (const word of rest) joined.set(word, undefined);
    }
  }
  if (removed.size === 0) return page;
  const words = page.words.flatMap((word) => (joined.has(word) ? (joined.get(word) ?? []) : word));
  return { ...page, words, rules: page.rules.filter((rule) => !removed.has(rule)) };
}

const MIN_BOXES = 3;
// Chosen: of the width of a box, and of width to height.
const TOLERANCE = 0.15;
const MIN_RATIO = 0.4;
// Wider cells are those of a table with a digit each.
const MAX_RATIO = 1.3;

/** Vertical rules of equal height beside each other, from left to right. */
function linesOf(rules: readonly Rule[]): Rule[][] {
  const lines: Rule[][] = [];
  for (const rule of [...rules].sort((a, b) => a[0] - b[0])) {
    const [, y0, , y1] = rule;
    const isLevel = ([first]: readonly Rule[]) =>
      Math.abs(first![1] - y0) + Math.abs(first![3] - y1) < TOLERANCE * (y1 - y0);
    const line = lines.find(isLevel);
    if (line) line.push(rule);
    else lines.push([rule]);
  }
  return lines;
}

function isWithin({ box }: Word, [x0, y0, x1, y1]: Rule): boolean {
  const [x, y] = [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2];
  return x > x0 && x < x1 && y > y0 && y < y1;
}

const joinWords = (words: readonly [Word, ...Word[]]): Word => ({
  text: words.map(({ text }) => text).join(''),
  box: boundingBox(words.map(({ box }) => box)),
  confidence: words[0].confidence === null ? null : Math.min(...words.map(({ confidence }) => confidence ?? 1)),
});
