import type { LineWord } from './ocr-engine.ts';
import type { WordReading } from './word-reader.ts';

/** From this confidence on, the second reading counts. */
export const MIN_CONFIDENCE = 0.9;
/** Of words that keep their text though the second reading differs. */
const MAX_CONFIDENCE = 0.55;
/** Of the second reading's confidence, for words that it changes. */
export const AFTER_CHANGE = 0.95;

/** Whether a word has a number of two characters or more. */
export function hasFigures(text: string): boolean {
  const core = numberOf(text);
  return core.length > 1 && NUMBER.test(core);
}

/**
 * Corrects a number by a confident second reading that is as long or has a decimal separator more. The confidence of other
 * differences is lowered. What stands around the number stays.
 */
export function reconcileFigures(word: LineWord, second: WordReading): LineWord {
  if (second.confidence < MIN_CONFIDENCE) return word;
  const other = numberOf(second.text);
  const upright = word.text.replace(STROKE, '1');
  const first = numberOf(upright);
  if (!NUMBER.test(first) || !/^\d[\d.,:/-]*$/u.test(other)) return word;
  const changed = { ...word, confidence: second.confidence * AFTER_CHANGE };
  if (first.replaceAll('–', '-') === other) return upright === word.text ? word : { ...changed, text: upright };
  // The image cuts one of them off, or shows a neighbour or letters that are read as figures.
  if ([first, numberOf(word.text)].some((one) => isEnd(one, other) || isEnd(other, one))) return word;
  const isSame = figuresOf(first) === figuresOf(other);
  if (isSame ? hasLostSeparator(first, other) : isMisread(first, other))
    return { ...changed, text: upright.replace(first, other) };
  return isSame ? word : { ...word, confidence: Math.min(word.confidence, MAX_CONFIDENCE) };
}

/**
 * Corrects figures with Cyrillic letters, as in `д. 18-б`, `кв. 7Б` and `129Б-2Н`: Tesseract's networks read figures in place of
 * most of these letters (`18-6`, `75`). Undefined if there is nothing to correct.
 */
export function reconcileCode(word: LineWord, second: WordReading): LineWord | undefined {
  const [first, other] = [coreOf(word.text), coreOf(second.text)];
  const isCode = /^[\dа-яё/-]+$/iu.test(other) && /\d/u.test(other) && /[а-яё]/iu.test(other);
  if (!isCode || first.length !== other.length || /м[23]$/u.test(first)) return undefined;
  const differing = [...first].flatMap((one, i) =>
    one.toLowerCase() === other[i]!.toLowerCase() ? [] : [one + other[i]!],
  );
  const isHouse = HOUSE_IN_LETTERS.test(first) && /^\d+[а-яё]$/iu.test(other);
  const isLetters = differing.length <= Math.max(1, other.length / 3) && differing.every((pair) => LETTER.test(pair));
  if (differing.length === 0 || !(isHouse || isLetters)) return undefined;
  const isAtEnd = !isHouse && /^\d+-?[а-яё]$/iu.test(other);
  const limit = isAtEnd ? MIN_CONFIDENCE : Math.max(MIN_CONFIDENCE, word.confidence);
  const isHyphenated = /\d-6$/u.test(first) && /-б$/u.test(other);
  if (second.confidence < (isHyphenated ? MIN_HYPHENATED : limit)) return undefined;
  return { ...word, text: word.text.replace(first, other), confidence: second.confidence * AFTER_CHANGE };
}

/** For `-б` at the end: the network reads some as `-6`, but no `-6` as `-б`. */
const MIN_HYPHENATED = 0.5;

/** A figure or a Latin letter, and the Cyrillic letter in its place; only the line tells 3 from З and 0 from О. */
const LETTER = /^(?!3З|3з|0О|0о)[\da-z][а-яё]$/iu;

/** `Зба` is 36а. */
const HOUSE_IN_LETTERS = /^[Зб]{2}[а-яё]$/u;

/** From the first letter or figure to the last one. */
export const coreOf = (text: string): string => /[\d\p{L}](?:.*[\d\p{L}])?/u.exec(text)?.[0] ?? '';

/** Figures and marks between them; a semicolon is mostly a misread comma. */
const NUMBER = /^\d[\d.,:;/–-]*$/u;

/** A stroke that is a 1: a slash where no fraction has one, or a bracket after figures without another bracket. */
const STROKE = /(?<![\d\p{L}])\/(?=\d+(?:[.,]\d+)?$)|(?<=^\d+[.,])\/$|(?<=^\d{3})[\]|]$/gu;

/** From the first figure to the last one. */
const numberOf = (text: string): string => /\d(?:.*\d)?/u.exec(text)?.[0] ?? '';

const figuresOf = (text: string): string => text.replace(/\D/gu, '');

const isEnd = (part: string, whole: string): boolean => whole.startsWith(part) || whole.endsWith(part);

/** Whether the second reading has a decimal separator where the first one has none or a semicolon. */
const hasLostSeparator = (first: string, other: string): boolean =>
  /^\d+(?:;\d+)?$/u.test(first) && /^\d+[.,]\d+$/u.test(other);

/** Whether only a third of the characters differ, at most two, and all of them are figures. */
function isMisread(first: string, other: string): boolean {
  if (first.length !== other.length) return false;
  const differing = [...first].map((a, i) => a + other[i]).filter((pair) => pair[0] !== pair[1]);
  return (
    differing.length <= Math.max(1, Math.min(2, first.length / 3)) && differing.every((pair) => /^\d\d$/u.test(pair))
  );
}
