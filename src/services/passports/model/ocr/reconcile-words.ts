import { hasLetterWithoutTwin, normalizeHomoglyphs } from '../fields/homoglyphs.ts';
import type { LineWord } from './ocr-engine.ts';
import type { WordReading } from './word-reader.ts';

/**
 * Chooses between Tesseract's reading of a word and a second one, which is more often right where they differ if its confidence is high.
 * Tesseract's reading stays where the second one has less of the word, or where only the line decides. The confidence follows from both.
 */
export function reconcileWords(word: LineWord, second: WordReading, isEnglish: boolean): LineWord {
  const [first, other] = [fold(word.text), fold(second.text)];
  if (first === other) return confirm(word, second);
  if (second.text === '') return word;
  const isFigure = isOtherFigure(first, other);
  if (isKept(word, second, isEnglish)) return isFigure ? dispute(word, second) : word;
  if (second.confidence >= leastConfidence(word, second))
    return {
      ...word,
      text: normalizeHomoglyphs(second.text, isEnglish ? 'latin' : 'cyrillic'),
      confidence: second.confidence * AFTER_CHANGE,
    };
  return isFigure || isDisputed(first, other) ? dispute(word, second) : word;
}

/** Tesseract rarely reports more. */
const MAX_TESSERACT = 0.97;
/** Below it, boxes often show parts of words, about which both readings agree. */
const MIN_CONFIRMED = 0.3;
/** Of the second reading's confidence, for words that it changes. */
const AFTER_CHANGE = 0.95;

/** Of words that keep their text though the second reading differs, half are right; five of six if Tesseract is confident and the second reading is not. */
const dispute = (word: LineWord, second: WordReading): LineWord => ({
  ...word,
  confidence: Math.min(word.confidence, word.confidence >= 0.94 && second.confidence < 0.7 ? 0.85 : 0.55),
});

/** Whether readings differ in more than punctuation, letter case and what a box shows more or less. */
function isDisputed(first: string, other: string): boolean {
  const isPart = first.includes(other) || other.includes(first);
  return !isPart && /[\p{L}\d]/u.test(first) && insideOf(first).toLowerCase() !== insideOf(other).toLowerCase();
}

/** Whether the number in a word has other digits, or its decimal separator elsewhere, in the other reading. */
const isOtherFigure = (first: string, other: string): boolean =>
  /\d/u.test(first) && figureOf(first) !== figureOf(other);

/** The digits of a text and its decimal separator. The dots of a date, and spaces, do not change the value. */
function figureOf(text: string): string {
  const figure = asDigits(text.toLowerCase())
    .replace(/[^\d.,]/gu, '')
    .replaceAll(',', '.')
    .replace(/^\.+|\.{1,20}$/gu, '');
  return figure.indexOf('.') === figure.lastIndexOf('.') ? figure : figure.replaceAll('.', '');
}

/** Raises the confidence of a word that both read alike. Single characters are alike too easily. */
function confirm(word: LineWord, { confidence: second }: WordReading): LineWord {
  const { confidence } = word;
  if (insideOf(word.text).length < 2 || confidence < MIN_CONFIRMED) return word;
  const either = Math.min(MAX_TESSERACT, 1 - (1 - confidence) * (1 - second));
  return confidence < either ? { ...word, confidence: either } : word;
}

/** Signs of options and blanks, which the training has few of; letters of the wrong language; and what only the line tells apart. */
function isKept({ text }: LineWord, second: WordReading, isEnglish: boolean): boolean {
  if (MARKS.test(text) || MARKS.test(second.text) || !/[\p{L}\d]/u.test(second.text)) return true;
  if (hasPartOfNeighbour(text, second.text)) return true;
  const isCyrillic = (one: string) => hasLetterWithoutTwin(one, 'cyrillic');
  if (isEnglish && isCyrillic(second.text) && !isCyrillic(text)) return true;
  const [first, other] = [text, second.text].map((one) => insideOf(fold(one)).toLowerCase()) as [string, string];
  const isTwin = asLetters(first) === asLetters(other) && first !== other;
  const isPure = /^\d+$/u.test(first) || /^[^\d]{2,}$/u.test(first);
  const hasLostSeparator = first !== other && /\d[.,]\d/u.test(first) && first.replace(/[.,]/gu, '') === other;
  return (isTwin && isPure) || hasLostSeparator;
}

/** The box shows a letter of the word beside it, that the text itself lacks: `p an` for `and`. */
function hasPartOfNeighbour(text: string, other: string): boolean {
  const [before, after] = [/^(\p{L})\s/u.exec(other)?.[1], /\s(\p{L})$/u.exec(other)?.[1]];
  return (before !== undefined && !text.startsWith(before)) || (after !== undefined && !text.endsWith(after));
}

const MARKS = /[[{|_☐☑✓✔]/u;
/** Figures as the letters that look like them. As single characters, figures are much more frequent. */
const asLetters = (text: string): string => text.replaceAll('3', 'з').replaceAll('0', 'о').replaceAll('6', 'б');
const asDigits = (text: string): string => text.replaceAll('з', '3').replaceAll('о', '0').replaceAll('б', '6');

/**
 * From which confidence on the second reading replaces Tesseract's, by the confidence of that. Chosen with 12,800 words of forms that the
 * network was not trained on: Tesseract reads 589 wrong, and 245 are wrong with these rules (`training/passports/words`).
 */
const LIMITS = [
  { from: 0.94, limit: 0.9 },
  { from: 0.8, limit: 0.7 },
  { from: -1, limit: 0.5 },
];
/** If only punctuation or letter case differs. */
const MIN_PUNCTUATION = 0.9;
const MIN_CASE = 0.7;
/** If one reading has a character more than the other at an end, because a box shows more or less than the word; below {@link MAX_OF_PART} only. */
const MIN_PART = 0.95;
/** Of Tesseract's confidence. */
const MAX_OF_PART = 0.8;

function leastConfidence({ text, confidence }: LineWord, second: WordReading): number {
  const [first, other] = [fold(text), fold(second.text)];
  if (first.includes(other) || other.includes(first)) {
    const isByOne = Math.abs(first.length - other.length) === 1;
    return isByOne && confidence < MAX_OF_PART ? MIN_PART : Infinity;
  }
  const { limit } = LIMITS.find(({ from }) => confidence >= from)!;
  if (insideOf(first) === insideOf(other)) return Math.max(limit, MIN_PUNCTUATION);
  return first.toLowerCase() === other.toLowerCase() ? Math.max(limit, MIN_CASE) : limit;
}

/** Without punctuation around it. */
const insideOf = (text: string): string => text.replace(/^[.,:;()«»“”„"-]+|[.,:;()«»“”„"-]{1,20}$/gu, '');

// Without I, J and S, whose twins are no Russian letters.
const LATIN = 'ABEKMHOPCTYXaceopxykbr';
const TWINS = 'АВЕКМНОРСТУХасеорхукьг';

/** In Cyrillic letters where Latin ones look the same, with one kind of dash and quotation mark, `е` for `ё` and no spaces. */
const fold = (text: string): string =>
  [...text]
    .map((letter) => TWINS[LATIN.indexOf(letter)] ?? letter)
    .join('')
    .replace(/[–—]/gu, '-')
    .replace(/[“”„«»]/gu, '"')
    .replaceAll('ё', 'е')
    .replaceAll('Ё', 'Е')
    .replace(/\s+/gu, '');
