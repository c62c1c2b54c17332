/** Longer ones are cut: nobody types them, and an index entry has its limit. */
const LONGEST_WORD = 64;

/**
 * The words of a text, as the index and whoever searches it see them: lower case, ё as е, letters and digits of every
 * script without their accents, so that `Wall-17.JPG` is wall, 17, jpg. In their order; a word that comes twice is there
 * twice. Text is composed first (NFKC, Unicode Standard Annex #15), so that no writing of a letter hides it.
 */
export function wordsOf(text: string): string[] {
  const plain = text.normalize('NFKC').toLowerCase().replaceAll('ё', 'е').replace(MARKS, '');
  return Array.from(plain.matchAll(WORD), ([word]) => shortened(word));
}

// What NFKC could not join with its letter.
const MARKS = /\p{M}+/gu;
const WORD = /[\p{L}\p{N}]+/gu;

const shortened = (word: string) => (word.length > LONGEST_WORD ? [...word].slice(0, LONGEST_WORD).join('') : word);
