import type { LineWord } from './ocr-engine.ts';

/** Chosen. Shares of the smaller word, across and down. */
const MIN_WIDTH = 0.8;
const MIN_HEIGHT = 0.6;
/** Chosen. A long word may be this much less sure than a part of it. */
const MAX_DOUBT = 0.5;
/** Pages with more words are drawings or noise. */
const MAX_WORDS = 5000;

interface PlainWord {
  readonly word: LineWord;
  /** Letters and digits, with the signs between digits. */
  readonly text: string;
}

/** Without words and parts of words that OCR reads again in an overlapping line: `21,` in `21,7`. The surer one of two equal words is kept. */
export function withoutRepeatedWords(words: readonly LineWord[]): readonly LineWord[] {
  if (words.length > MAX_WORDS) return words;
  const dropped = new Set<LineWord>();
  const fromLeft = words
    .map((word) => ({ word, text: word.text.replace(NO_PART_OF_TEXT, '').toLowerCase() }))
    .filter(({ text }) => text !== '')
    .sort((a, b) => a.word.left - b.word.left);
  for (const [i, one] of fromLeft.entries()) {
    for (let next = i + 1; next < fromLeft.length && fromLeft[next]!.word.left < one.word.right; next++) {
      const other = fromLeft[next]!;
      if (dropped.has(one.word)) break;
      if (dropped.has(other.word) || !isSamePlace(one.word, other.word)) continue;
      const repeated = repeatedOf(one, other);
      if (repeated) dropped.add(repeated);
    }
  }
  return words.filter((word) => !dropped.has(word));
}

const NO_PART_OF_TEXT = /[^\p{L}\p{N}.,]|(?<!\d)[.,]|[.,](?!\d)/gu;

function isSamePlace(a: LineWord, b: LineWord): boolean {
  const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
  const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  return (
    width >= MIN_WIDTH * Math.min(widthOf(a), widthOf(b)) &&
    height >= MIN_HEIGHT * Math.min(a.bottom - a.top, b.bottom - b.top)
  );
}

function repeatedOf(a: PlainWord, b: PlainWord): LineWord | undefined {
  if (a.text === b.text) return a.word.confidence < b.word.confidence ? a.word : b.word;
  const [long, short] = a.text.length > b.text.length ? [a, b] : [b, a];
  const isPart =
    long.text.includes(short.text) &&
    widthOf(short.word) < widthOf(long.word) &&
    long.word.confidence > short.word.confidence - MAX_DOUBT;
  return isPart ? short.word : undefined;
}

const widthOf = ({ left, right }: LineWord): number => right - left;
