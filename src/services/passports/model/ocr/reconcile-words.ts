import { hasLetterWithoutTwin, normalizeHomoglyphs } from '../fields/homoglyphs.ts';
import type { LineWord } from './ocr-engine.ts';
import type { WordReading } from './word-reader.ts';

/**
 * Chooses between Tesseract's reading of a word and a second one. The second one is more often right where they differ, if it is
 * confident; Tesseract, where the second one has less of the word or only the line decides. The confidence of the result follows from both.
 */
export function reconcileWords(word: LineWord, second: WordReading, isEnglish: boolean): LineWord {
  const [first, other] = [fold(word.text), fold(second.text)];
  if (first === other) return confirm(word, second);
  if (second.text === '' || isKept(word, second, isEnglish)) return word;
  if (isReplaced(word, second))
    return {
      ...word,
      text: normalizeHomoglyphs(second.text, isEnglish ? 'latin' : 'cyrillic'),
      confidence: second.confidence * AFTER_CHANGE,
    };
  return insideOf(first) === insideOf(other) || !/[\p{L}\d]/u.test(first)
    ? word
    : { ...word, confidence: Math.min(word.confidence, DISPUTED_CONFIDENCE) };
}

/** Tesseract rarely reports more. */
const MAX_TESSERACT = 0.97;
/** Below it, boxes often show parts of words, about which both readings agree. */
const MIN_CONFIRMED = 0.3;
/** Of the second reading's confidence, for words that it changes. */
const AFTER_CHANGE = 0.95;
/** Of words that keep their text though the second reading differs: half of them are right. */
const DISPUTED_CONFIDENCE = 0.55;

/** Raises the confidence of a word that both read alike. Single characters are alike too easily. */
function confirm(word: LineWord, { confidence: second }: WordReading): LineWord {
  const { confidence } = word;
  if (insideOf(word.text).length < 2 || confidence < MIN_CONFIRMED) return word;
  const either = Math.min(MAX_TESSERACT, 1 - (1 - confidence) * (1 - second));
  return confidence < either ? { ...word, confidence: either } : word;
}

/** Signs of options and blanks, which the network hardly knows; letters of the wrong language; and what only the line tells apart. */
function isKept({ text }: LineWord, second: WordReading, isEnglish: boolean): boolean {
  if (MARKS.test(text) || !/[\p{L}\d]/u.test(second.text)) return true;
  const isCyrillic = (one: string) => hasLetterWithoutTwin(one, 'cyrillic');
  if (isEnglish && isCyrillic(second.text) && !isCyrillic(text)) return true;
  const [first, other] = [text, second.text].map((one) => insideOf(fold(one)).toLowerCase()) as [string, string];
  return AMBIGUOUS.has(first + other) || (isLetters(first) && /\d/u.test(other) && first === withLetters(other));
}

const MARKS = /[[{}|_☐☑✓✔]/u;
/** A figure, and the letter that looks like it. As single ones, figures are much more frequent. */
const AMBIGUOUS = new Set(['3з', '0о', '6б']);
const withLetters = (text: string): string => text.replaceAll('3', 'з').replaceAll('0', 'о').replaceAll('6', 'б');
const isLetters = (text: string): boolean => /^[^\d]{3,}$/u.test(text);

/**
 * From which confidence on the second reading replaces one of Tesseract's, by that of Tesseract. Of 12,800 words of forms that the network
 * was not trained on, Tesseract read 589 wrong, and 238 are wrong with these rules (`training/passports/words`).
 */
const LIMITS = [
  { from: 0.94, limit: 0.9 },
  { from: 0.8, limit: 0.7 },
  { from: -1, limit: 0.5 },
];
/** Of the second reading, and of Tesseract's, if one of them has a character more than the other at an end: then a box shows more or less than the word. */
const MIN_PART = 0.95;
const MAX_PART = 0.8;
/** Of the second reading, if only punctuation differs. */
const MIN_PUNCTUATION = 0.9;

function isReplaced({ text, confidence }: LineWord, second: WordReading): boolean {
  const [first, other] = [fold(text), fold(second.text)];
  if (first.includes(other) || other.includes(first)) {
    const isOne = Math.abs(first.length - other.length) === 1;
    return isOne && second.confidence >= MIN_PART && confidence < MAX_PART;
  }
  const { limit } = LIMITS.find(({ from }) => confidence >= from)!;
  const isPunctuation = insideOf(first) === insideOf(other);
  return second.confidence >= (isPunctuation ? Math.max(limit, MIN_PUNCTUATION) : limit);
}

/** Without punctuation around it. */
const insideOf = (text: string): string => text.replace(/^[.,:;()«»"-]+|[.,:;()«»"-]{1,20}$/gu, '');

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
