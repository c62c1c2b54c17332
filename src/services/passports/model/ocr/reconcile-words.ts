import type { LineWord } from './ocr-engine.ts';
import {
  AFTER_CHANGE,
  coreOf,
  hasFigures,
  MIN_CONFIDENCE,
  reconcileCode,
  reconcileFigures,
} from './reconcile-figures.ts';
import type { WordReading } from './word-reader.ts';

/** From this confidence on, the second reading of single characters and doubtful words counts. */
const MIN_SURE = 0.95;
/** Of a doubtful word, at most. */
const MAX_DOUBTFUL = 0.75;

/**
 * Corrects a word of a Russian page by its second reading: numbers, initials, single characters, Cyrillic words, and doubtful
 * words. Only numbers are corrected on English pages. The confidence of other words follows from whether the readings agree.
 */
export function reconcileWords(word: LineWord, second: WordReading, isEnglish: boolean): LineWord {
  const corrected = hasFigures(word.text) ? reconcileFigures(word, second) : word;
  if (isEnglish) return corrected === word ? reconcileConfidence(word, second, 0) : corrected;
  const changed = reconcileCode(word, second) ?? reconcileInitials(word, second);
  if (changed) return changed;
  const text = hasFigures(word.text) ? undefined : replacement(word, second);
  if (text !== undefined) return { ...word, text, confidence: second.confidence * AFTER_CHANGE };
  return corrected === word ? reconcileConfidence(word, second, MIN_UNDISPUTED) : corrected;
}

/** From it on, Tesseract was right about all of 54 rendered words that the second reading disputed. */
const MIN_UNDISPUTED = 0.94;
/** Of the second reading: below it, 71 of 73 words of generated pages that it disputed were right, above it 23 of 47. */
const MIN_DISPUTING = 0.7;
const DISPUTED_CONFIDENCE = 0.55;

/** Tesseract rarely reports more. */
const MAX_TESSERACT = 0.97;
/** Below it, boxes often show parts of words, about which both readings agree. */
const MIN_CONFIRMED = 0.3;

/**
 * Raises the confidence if both readings agree. Not of single characters, and not of a last 5 or 6, which may be a `б` or `Б`. A
 * word below `minUndisputed` is doubtful if another reading of the same length differs in more than separators.
 */
function reconcileConfidence(word: LineWord, second: WordReading, minUndisputed: number): LineWord {
  const [first, other] = [insideOf(fold(word.text)), insideOf(fold(second.text))];
  const { confidence } = word;
  if (first !== other) {
    const isDisputed =
      confidence < minUndisputed && second.confidence >= MIN_DISPUTING && first.length === other.length;
    if (!isDisputed || withTwins(first) === withTwins(other) || KEPT.test(first)) return word;
    return { ...word, confidence: Math.min(confidence, DISPUTED_CONFIDENCE) };
  }
  if (/\d-\d{0,5}6$/u.test(first)) return { ...word, confidence: Math.min(confidence, second.confidence) };
  if (first.length < 2 || confidence < MIN_CONFIRMED || /^\d+[56]$/u.test(first)) return word;
  const either = Math.min(MAX_TESSERACT, 1 - (1 - confidence) * (1 - second.confidence));
  return confidence < either ? { ...word, confidence: either } : word;
}

/** Without punctuation around it. */
const insideOf = (text: string): string => text.replace(/^[.,:;()«»"]+|[.,:;()«»"]{1,20}$/gu, '');

/** With one character for those that only the line tells apart, and one separator. */
const withTwins = (text: string): string =>
  text.replaceAll('з', '3').replaceAll('о', '0').replaceAll('б', '6').replaceAll(',', '.');

/** Initials in place of what Tesseract reads: `10.` and `Юю.` for `Ю.`, `С.А.` for `С.Я.`. Undefined if there is nothing to correct. */
function reconcileInitials(word: LineWord, second: WordReading): LineWord | undefined {
  if (!INITIALS.test(second.text) || !MISREAD_INITIALS.test(word.text)) return undefined;
  const [first, other] = [lettersOf(fold(word.text)), lettersOf(fold(second.text))];
  const isAlike = first !== other && first.length <= 2 * other.length && !isUpToContext(first, other);
  const limit = first === '10' ? Math.max(MIN_SURE, word.confidence) : MIN_CONFIDENCE;
  if (!isAlike || second.confidence < limit) return undefined;
  return { ...word, text: second.text, confidence: second.confidence * AFTER_CHANGE };
}

const INITIALS = /^(?:[А-ЯЁ]\.){1,2}$/u;

/** No abbreviation, and no other number than `10.` */
const MISREAD_INITIALS = /^(?![IVX.]+$)(?:10|\p{Lu})[\p{L}.]{0,4}[.,]$/u;

const lettersOf = (text: string): string => text.replace(/[^\p{L}\d]/gu, '');

/** The text of a word without figures that the second reading corrects. */
function replacement(word: LineWord, second: WordReading): string | undefined {
  const [a, b] = [fold(word.text), fold(second.text)];
  if (SERBIAN.test(a) && READABLE.test(b) && second.confidence >= MIN_CONFIDENCE) return second.text;
  const isReplaceable = a !== b && a.length === b.length && READABLE.test(b) && !KEPT.test(a) && /[\p{L}\d]/u.test(a);
  if (!isReplaceable) return undefined;
  const folded = [coreOf(a), coreOf(b)] as [string, string];
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

/** Letters of Tesseract's model of the Cyrillic script that no language of the product has: `еј` for `с`. */
const SERBIAN = /[јљњћђџѓќѕ]/u;

/** Without spaces and letters of other alphabets. */
const READABLE = /^[а-я\d.,:;()«»"№%°²³+*×=/@-]+$/u;

/** Whether single characters look the same. As single ones, `3` and `0` are much more frequent than the letters. */
const isUpToContext = (a: string, b: string): boolean => ['3з', '0о', 'б6', '6б'].includes(a + b);

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
