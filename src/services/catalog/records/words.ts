import { composeCharacters } from '../../../base/compose-characters.ts';

/** Longer ones are cut: nobody types them, and an index entry has its limit. */
const LONGEST_WORD = 64;

/**
 * The words of a text, as the index and whoever searches it see them: lower case, ё as е, letters and digits of every
 * script without their accents, so that `Wall-17.JPG` is wall, 17, jpg. In their order; a word that comes twice is there
 * twice. Letters and digits are composed (NFKC, Unicode Standard Annex #15), so that no writing of one hides it; a sign is
 * none and divides words, even where it is composed of letters: `№57™` is 57.
 */
export function wordsOf(text: string): string[] {
  return Array.from(text.matchAll(RUN), ([run]) => run).flatMap((run) => {
    const plain = composeCharacters(run, 'NFKC').toLowerCase().replaceAll('ё', 'е').replace(MARKS, '');
    return Array.from(plain.matchAll(WORD), ([word]) => shortened(word));
  });
}

// Of the text as it came: an ordinal sign (º, ª) is a sign though Unicode has it for a letter. Raised and lowered digits
// belong to their word (м² is м2), fractions and circled numbers stand for themselves (2½ is 2, 1, 2).
const RUN = /(?:(?![ºª])[\p{L}\p{M}\p{Nd}\p{Nl}⁰¹²³⁴-⁹₀-₉])+|\p{No}/gu;
// What NFKC could not join with its letter.
const MARKS = /\p{M}+/gu;
const WORD = /[\p{L}\p{N}]+/gu;

const shortened = (word: string) => (word.length > LONGEST_WORD ? [...word].slice(0, LONGEST_WORD).join('') : word);
