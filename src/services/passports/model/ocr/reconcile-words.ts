import type { LineWord } from './ocr-engine.ts';
import {
  AFTER_CHANGE,
  hasFigures,
  MIN_CONFIDENCE,
  reconcileFigures,
  reconcileNumberWithLetter,
} from './reconcile-figures.ts';
import type { WordReading } from './word-reader.ts';

/** From this confidence on, the second reading of single characters and doubtful words counts. */
const MIN_SURE = 0.95;
/** Of a doubtful word, at most. */
const MAX_DOUBTFUL = 0.75;

/**
 * Corrects a word of a Russian page by its second reading: numbers, initials, single characters, Cyrillic words, and doubtful
 * words. Only numbers are corrected on English pages.
 */
export function reconcileWords(word: LineWord, second: WordReading, isEnglish: boolean): LineWord {
  const changed = isEnglish ? undefined : (reconcileNumberWithLetter(word, second) ?? reconcileInitials(word, second));
  if (changed) return changed;
  if (hasFigures(word.text)) return reconcileFigures(word, second);
  const [a, b] = [fold(word.text), fold(second.text)];
  const isReplaceable = a !== b && a.length === b.length && READABLE.test(b) && !KEPT.test(a) && /[\p{L}\d]/u.test(a);
  if (isEnglish || !isReplaceable) return word;
  const text = replacement(word, second, [coreOf(a), coreOf(b)]);
  return text === undefined ? word : { ...word, text, confidence: second.confidence * AFTER_CHANGE };
}

/** Initials in place of what Tesseract reads: `10.` and `Юю.` for `Ю.`, `LLL.` for `Щ.`. Undefined if there is nothing to correct. */
function reconcileInitials(word: LineWord, second: WordReading): LineWord | undefined {
  if (!INITIALS.test(second.text) || second.confidence < MIN_CONFIDENCE || word.text === second.text) return undefined;
  const [first, other] = [fold(word.text), fold(second.text)];
  const isAlike = /[.,]$/u.test(word.text) && lettersOf(first).length <= 2 * lettersOf(other).length;
  if (!isAlike || isUpToContext(coreOf(first), coreOf(other))) return undefined;
  return { ...word, text: second.text, confidence: second.confidence * AFTER_CHANGE };
}

const lettersOf = (text: string): string => text.replace(/[^\p{L}\d]/gu, '');

const INITIALS = /^(?:[А-ЯЁ]\.){1,2}$/u;

/** `folded` are the cores of both readings. */
function replacement(word: LineWord, second: WordReading, folded: [string, string]): string | undefined {
  const [first, other] = [coreOf(word.text), coreOf(second.text)];
  const differing = countDifferences(...folded);
  const isSurer = second.confidence >= word.confidence;
  const isSure = isSurer && second.confidence >= MIN_SURE;
  const isWord = CYRILLIC_WORD.test(folded[1]) && /^[а-я\d.-]+$/u.test(folded[0]);
  if (isWord && differing > 0 && isSurer && second.confidence >= MIN_CONFIDENCE && differing <= mostDiffering(first))
    return word.text.replace(first, other);
  if (differing > 0 && folded.every((core) => core.length === 1) && isSure && !isUpToContext(...folded))
    return word.text.replace(first, other);
  const isDoubtful = word.confidence < MAX_DOUBTFUL && isSure;
  return isDoubtful && countDifferences(fold(word.text), fold(second.text)) <= Math.max(1, mostDiffering(first))
    ? second.text
    : undefined;
}

/** A third of the letters and two. */
const mostDiffering = (core: string): number => Math.min(2, Math.floor(core.length / 3));

/** Parts of two letters and more, so no initials. */
const CYRILLIC_WORD = /^[а-я]{2,}(?:[-.][а-я]{2,})*$/u;

/** Words with the signs of options and blanks, which the network hardly knows, and with Latin letters. */
const KEPT = /[a-z[\]{}|_☐☑✓✔]/u;

/** Without spaces and letters of other alphabets. */
const READABLE = /^[а-я\d.,:;()«»"№%°²³+*×=/@-]+$/u;

/** Whether single characters look the same. As single ones, `3` and `0` are much more frequent than the letters. */
const isUpToContext = (a: string, b: string): boolean => ['3з', '0о', 'б6', '6б'].includes(a + b);

/** From the first letter or figure to the last one. */
export const coreOf = (text: string): string => /[\p{L}\d](?:.*[\p{L}\d])?/u.exec(text)?.[0] ?? '';

const countDifferences = (a: string, b: string): number =>
  a.length === b.length ? [...a].filter((letter, i) => letter !== b[i]).length : Infinity;

// Without I, J and S, whose twins are no Russian letters.
const LATIN = 'ABEKMHOPCTYXaceopxykbr';
const TWINS = 'АВЕКМНОРСТУХасеорхукьг';

/** In small Cyrillic letters where Latin ones look the same, with one kind of dash and `е` for `ё`. */
const fold = (text: string): string =>
  [...text]
    .map((letter) => TWINS[LATIN.indexOf(letter)] ?? letter)
    .join('')
    .toLowerCase()
    .replace(/[–—]/gu, '-')
    .replaceAll('ё', 'е');
