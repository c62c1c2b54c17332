import { composeCharacters } from '../../../base/compose-characters.ts';

/** Longer words are truncated: index entries have a size limit. */
const MAX_WORD_LENGTH = 64;

/**
 * Words in order, with repetitions: lower case, ё as е, without accents, NFKC (Unicode Standard Annex #15).
 * `Wall-17.JPG` is wall, 17, jpg. Symbols separate words: `№57™` is 57.
 */
export function splitWords(text: string): string[] {
  return Array.from(text.matchAll(RUN), ([run]) => run).flatMap((run) => {
    const plain = composeCharacters(run, 'NFKC').toLowerCase().replaceAll('ё', 'е').replace(MARKS, '');
    return Array.from(plain.matchAll(WORD), ([word]) => truncate(word));
  });
}

// Before normalization. Ordinal indicators (º, ª) count as symbols, although Unicode classifies them as letters. Super-
// and
// subscript digits belong to their word (м² is м2); fractions and circled numbers are separate words (2½ is 2, 1, 2).
const RUN = /(?:(?![ºª])[\p{L}\p{M}\p{Nd}\p{Nl}⁰¹²³⁴-⁹₀-₉])+|\p{No}/gu;
// Marks that NFKC does not combine with their letter.
const MARKS = /\p{M}+/gu;
const WORD = /[\p{L}\p{N}]+/gu;

const truncate = (word: string) =>
  word.length > MAX_WORD_LENGTH ? [...word].slice(0, MAX_WORD_LENGTH).join('') : word;
