import { composeCharacters } from '../../../base/compose-characters.ts';

/** Longer words are truncated: index entries have a size limit. */
const MAX_WORD_LENGTH = 64;

/**
 * Words in order, with repetitions: lower case, ё as е, Latin letters without marks (é is e), NFKC (Unicode Standard Annex #15).
 * `Wall-17.JPG` is wall, 17, jpg. Symbols separate words: `№57™` is 57.
 */
export function splitWords(text: string): string[] {
  return Array.from(text.matchAll(RUN), ([run]) => run).flatMap((run) => {
    const composed = composeCharacters(run, 'NFKC').toLowerCase().replaceAll('ё', 'е');
    const plain = withoutLatinMarks(composed).replace(MARKS, '');
    return Array.from(plain.matchAll(WORD), ([word]) => truncate(word));
  });
}

/** Replaces composed Latin letters by their base letter; the length stays the same. */
export const withoutLatinMarks = (text: string): string =>
  text.replace(LATIN, (letter) => BASE_LETTERS.get(letter) ?? letter);

// Before normalization. Ordinal indicators (º, ª) count as symbols, although Unicode classifies them as letters. Super- and
// subscript digits belong to their word (м² is м2); fractions and circled numbers are separate words (2½ is 2, 1, 2).
const RUN = /(?:(?![ºª])[\p{L}\p{M}\p{Nd}\p{Nl}⁰¹²³⁴-⁹₀-₉])+|\p{No}/gu;
// Composed ones: Latin-1 Supplement, Latin Extended-A and -B, Latin Extended Additional. й stays a letter of its own.
const LATIN = /[\u00c0-\u024f\u1e00-\u1eff]/g;
const BASE_LETTERS = new Map(
  [...range(0xc0, 0x24f), ...range(0x1e00, 0x1eff)].map((code) => {
    const letter = String.fromCodePoint(code);
    // eslint-disable-next-line no-restricted-syntax -- one character
    return [letter, letter.normalize('NFD').replace(/\p{M}+/gu, '')] as const;
  }),
);

// Marks that NFKC does not combine with their letter.
const MARKS = /\p{M}+/gu;
const WORD = /[\p{L}\p{N}]+/gu;

const truncate = (word: string) =>
  word.length > MAX_WORD_LENGTH ? [...word].slice(0, MAX_WORD_LENGTH).join('') : word;

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}
