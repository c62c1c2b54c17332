import type { LineWord } from './ocr-engine.ts';

/** Restores the brackets of options, `[ ]` and `[X]`: OCR doubts them and reads one bracket as another. */
export function restoreMarks(line: readonly LineWord[]): LineWord[] {
  return line.map((word, i) => {
    const mark = /[[\]{}]/u.test(word.text) && MARKED.exec(word.text)?.[1];
    if (mark) return { ...word, text: `[${mark}]`, confidence: Math.max(word.confidence, CONFIDENCE) };
    const [before, next] = [line[i - 1], line[i + 1]];
    if (next && isEmpty(word, next)) return { ...word, text: '[', confidence: Math.max(word.confidence, CONFIDENCE) };
    if (before && isEmpty(before, word))
      return { ...word, text: ']', confidence: Math.max(word.confidence, CONFIDENCE) };
    return word;
  });
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
