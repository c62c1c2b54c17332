import { detectAlphabet, hasLetterWithoutTwin } from '../fields/homoglyphs.ts';
import type { GrayImage } from './grayscale.ts';
import { type LineWord, meanConfidence, type OcrEngine } from './ocr-engine.ts';

/**
 * Recognizes the lines in all languages, and those of an English page again in English only: with two alphabets, one
 * word in ten of an English page is returned in Cyrillic letters.
 */
export async function recognizeInPageLanguage(
  engine: OcrEngine,
  lines: readonly GrayImage[],
  signal: AbortSignal,
): Promise<{ words: LineWord[][]; isEnglish: boolean }> {
  const words = await engine.recognize(lines, signal);
  const { recognizeEnglish } = engine;
  const isEnglish = detectAlphabet(words.flat()) === 'latin';
  if (!recognizeEnglish || !isEnglish) return { words, isEnglish };
  const english = await recognizeEnglish(lines, signal);
  return {
    words: words.map((line, index) => (isCyrillic(line, english[index]!) ? line : english[index]!)),
    isEnglish,
  };
}

/** Whether a line of a mostly English page is Cyrillic, from its readings in all languages and in English. */
export function isCyrillic(all: readonly LineWord[], english: readonly LineWord[]): boolean {
  const letters = [...all.map(({ text }) => text).join('')].filter((letter) => /\p{L}/u.test(letter));
  const distinct = letters.filter((letter) => hasLetterWithoutTwin(letter, 'cyrillic')).length;
  const cyrillic = letters.filter((letter) => /[\u0400-\u04ff]/u.test(letter)).length;
  return distinct >= 3 && cyrillic > letters.length / 2 && meanConfidence(all) > meanConfidence(english);
}
