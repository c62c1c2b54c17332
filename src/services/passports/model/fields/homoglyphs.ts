// OCR with two alphabets confuses letters that look alike.
const CYRILLIC = [...'АВЕКМНОРСТУХІЈЅаеорсухіјѕкьг'];
const LATIN = [...'ABEKMHOPCTYXIJSaeopcyxijskbr'];
/** Not of Russian, so they stand for Latin ones: `ѕрасе`. */
const FOREIGN = /[ЅѕЈј]/u;
const TWINS = {
  cyrillic: { letters: /[\u0400-\u04ff]/u, others: new Map(CYRILLIC.map((letter, i) => [letter, LATIN[i]!])) },
  latin: {
    letters: /[a-zA-Z]/u,
    others: new Map(
      LATIN.map((letter, i) => [letter, CYRILLIC[i]!] as const).filter(([, twin]) => !FOREIGN.test(twin)),
    ),
  },
};
// Similar in few fonts only, so they still indicate the alphabet.
const WEAK = new Set('ьгbrкk');

export type Alphabet = 'cyrillic' | 'latin';

/** The alphabet of most letters; Cyrillic without letters. */
export function detectAlphabet(words: readonly { readonly text: string }[]): Alphabet {
  let balance = 0;
  for (const { text } of words) {
    for (const letter of text) {
      if (TWINS.cyrillic.letters.test(letter)) balance++;
      else if (TWINS.latin.letters.test(letter)) balance--;
    }
  }
  return balance >= 0 ? 'cyrillic' : 'latin';
}

/** Whether the text has a letter that no letter of the other alphabet resembles in any font. */
export function hasLetterWithoutTwin(text: string, alphabet: Alphabet): boolean {
  const { letters, others } = TWINS[alphabet];
  return [...text].some((letter) => letters.test(letter) && !others.has(letter));
}

/**
 * Converts a word to the alphabet of its letters without twins, of letters with twins in few fonts, or of the document.
 * Keeps words with letters of both alphabets that have no twins.
 */
export function normalizeHomoglyphs(text: string, document: Alphabet): string {
  const indicated = alphabetOf(text, hasLetterWithoutTwin) ?? (FOREIGN.test(text) ? 'latin' : undefined);
  const alphabet = indicated ?? alphabetOf(text, hasWeakTwin) ?? document;
  if (alphabet === 'mixed') return text;
  const { others } = TWINS[alphabet === 'latin' ? 'cyrillic' : 'latin'];
  return [...text].map((letter) => others.get(letter) ?? letter).join('');
}

function alphabetOf(text: string, has: (text: string, of: Alphabet) => boolean): Alphabet | 'mixed' | undefined {
  const cyrillic = has(text, 'cyrillic');
  const latin = has(text, 'latin');
  if (cyrillic && latin) return 'mixed';
  return cyrillic ? 'cyrillic' : latin ? 'latin' : undefined;
}

const hasWeakTwin = (text: string, alphabet: Alphabet): boolean =>
  [...text].some((letter) => WEAK.has(letter) && TWINS[alphabet].letters.test(letter));
