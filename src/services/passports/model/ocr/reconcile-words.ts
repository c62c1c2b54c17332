import type { LineWord } from './ocr-engine.ts';
import { AFTER_CHANGE, hasFigures, MIN_CONFIDENCE, reconcileCode, reconcileFigures } from './reconcile-figures.ts';
import type { WordReading } from './word-reader.ts';

/** From this confidence on, the second reading of single characters and doubtful words counts. */
const MIN_SURE = 0.95;
/** Of a doubtful word, at most. */
const MAX_DOUBTFUL = 0.75;

/**
 * Corrects a word of a Russian page by its second reading: numbers, initials, single characters, Cyrillic words, and doubtful
 * words. Only numbers are corrected on English pages. The confidence of other words rises if both readings agree.
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

/** From it on, Tesseract was right about all of 54 rendered words that the second reading disputed, below it about 9 of 19. */
const MIN_UNDISPUTED = 0.94;
const DISPUTED = 0.55;

/** Tesseract rarely reports more. */
const MAX_TESSERACT = 0.97;

/** A six or a `б`, which both readings may confuse alike: `18-6`. */
const SIX_OR_LETTER = /\d-\d{0,5}6$/u;

/** A word below `minUndisputed` is doubtful if the second reading differs. */
function reconcileConfidence(word: LineWord, second: WordReading, minUndisputed: number): LineWord {
  const [first, other] = [coreOf(fold(word.text)), coreOf(fold(second.text))];
  const { confidence } = word;
  if (first !== other) {
    const isDisputed = confidence < minUndisputed && first.length === other.length;
    return isDisputed ? { ...word, confidence: Math.min(confidence, DISPUTED) } : word;
  }
  if (other === '') return word;
  if (SIX_OR_LETTER.test(coreOf(word.text))) return { ...word, confidence: Math.min(confidence, second.confidence) };
  const either = Math.min(MAX_TESSERACT, 1 - (1 - confidence) * (1 - second.confidence));
  return confidence < either ? { ...word, confidence: either } : word;
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
