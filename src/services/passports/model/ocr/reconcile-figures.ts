import type { FigureReading } from './figure-reader.ts';
import type { LineWord } from './ocr-engine.ts';

/** From this confidence on, the second reading replaces the first one. */
const MIN_CONFIDENCE = 0.9;
/** Of words whose readings differ. */
const MAX_CONFIDENCE = 0.55;

/** Whether a word has a number of two characters or more; lone figures are rarely misread. */
export function hasFigures(text: string): boolean {
  const core = coreOf(text);
  return core.length > 1 && /\d/u.test(core) && !/\p{L}/u.test(core);
}

/**
 * A number with the figures and separators of a confident second reading if they are alike: as long, or with separators
 * that the first reading has lost. The confidence of other differences is lowered. Punctuation around the number stays.
 */
export function reconcileFigures(word: LineWord, second: FigureReading): LineWord {
  if (second.confidence < MIN_CONFIDENCE) return word;
  const first = coreOf(word.text);
  const other = coreOf(second.text);
  if (!/^\d[\d.,:/-]*$/u.test(other) || first === other) return word;
  // One image cuts the number off, or shows its neighbour.
  if (first.startsWith(other) || other.startsWith(first)) return word;
  if (!isAlike(first, other)) return { ...word, confidence: Math.min(word.confidence, MAX_CONFIDENCE) };
  if (separatorsOf(first) !== '' && figuresOf(first) === figuresOf(other) && !/^[.,/-]+$/u.test(separatorsOf(other)))
    return word;
  return { ...word, text: word.text.replace(first, other), confidence: second.confidence * AFTER_DIFFERENCE };
}

const AFTER_DIFFERENCE = 0.95;

/** From the first figure to the last one, with strokes that may be a 1. */
const coreOf = (text: string): string => /[\d[|\]/](?:.*[\d[|\]/])?/u.exec(text)?.[0] ?? '';

const figuresOf = (text: string): string => text.replace(/\D/gu, '');
const separatorsOf = (text: string): string => text.replace(/\d/gu, '');

function isAlike(first: string, other: string): boolean {
  if (figuresOf(first) === figuresOf(other)) return true;
  if (first.length !== other.length) return false;
  const differing = [...first].filter((character, i) => character !== other[i]).length;
  return differing <= Math.max(1, first.length / 2);
}
