import type { LineWord } from './ocr-engine.ts';

/** Restores the brackets of options, `[ ]` and `[X]`, for which OCR has a low confidence and reads one bracket as another. */
export function restoreMarks(line: readonly LineWord[]): LineWord[] {
  return line.map((word, i) => {
    const text = markOf(word, line[i - 1], line[i + 1]);
    return text === undefined ? word : { ...word, text, confidence: Math.max(word.confidence, CONFIDENCE) };
  });
}

function markOf(word: LineWord, before: LineWord | undefined, next: LineWord | undefined): string | undefined {
  const mark = MARKED.exec(word.text)?.[1];
  if (mark && /[[\]{}]/u.test(word.text)) return `[${mark}]`;
  if (next && isEmpty(word, next)) return '[';
  return before && isEmpty(before, word) ? ']' : undefined;
}

const MARKED = /^[[({]([XxХх✓v])[\])}]{1,2}$/u;
/** Of two brackets that belong together. */
const CONFIDENCE = 0.6;
/** In heights of the brackets. */
const MAX_GAP = 1.2;

const isEmpty = (open: LineWord, close: LineWord): boolean =>
  /^[[{][_.]?$/u.test(open.text) &&
  /^[\]}]$/u.test(close.text) &&
  close.left - open.right < MAX_GAP * Math.max(open.bottom - open.top, close.bottom - close.top);
