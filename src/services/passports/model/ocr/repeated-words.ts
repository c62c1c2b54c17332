import type { LineWord } from './ocr-engine.ts';

/** Chosen. Shares of the smaller word, across and down. */
const MIN_WIDTH = 0.8;
const MIN_HEIGHT = 0.6;

/** Without words and parts of words that OCR reads again in an overlapping line: `21,` in `21,7`. The surer one of two equal words is kept. */
export function withoutRepeatedWords(words: readonly LineWord[]): LineWord[] {
  const dropped = new Set<LineWord>();
  const fromLeft = [...words].sort((a, b) => a.left - b.left);
  for (const [i, word] of fromLeft.entries()) {
    for (let next = i + 1; next < fromLeft.length && fromLeft[next]!.left < word.right; next++) {
      const other = fromLeft[next]!;
      if (dropped.has(word)) break;
      if (dropped.has(other) || !isSamePlace(word, other)) continue;
      const repeated = repeatedOf(word, other);
      if (repeated) dropped.add(repeated);
    }
  }
  return words.filter((word) => !dropped.has(word));
}

function isSamePlace(a: LineWord, b: LineWord): boolean {
  const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
  const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  return (
    width >= MIN_WIDTH * Math.min(widthOf(a), widthOf(b)) &&
    height >= MIN_HEIGHT * Math.min(a.bottom - a.top, b.bottom - b.top)
  );
}

function repeatedOf(a: LineWord, b: LineWord): LineWord | undefined {
  const [ofA, ofB] = [plain(a), plain(b)];
  if (ofA === '' || ofB === '') return undefined;
  if (ofA === ofB) return a.confidence < b.confidence ? a : b;
  if (ofA.includes(ofB)) return widthOf(b) < widthOf(a) ? b : undefined;
  return ofB.includes(ofA) && widthOf(a) < widthOf(b) ? a : undefined;
}

const widthOf = ({ left, right }: LineWord): number => right - left;

/** Letters and digits. */
const plain = ({ text }: LineWord): string => text.replace(/[^\p{L}\p{N}]/gu, '').toLowerCase();
