// OCR with two alphabets confuses letters that look alike.
const CYRILLIC = [...'АВЕКМНОРСТУХІЈЅаеорсухіјѕкьг'];
const LATIN = [...'ABEKMHOPCTYXIJSaeopcyxijskbr'];
const TO_LATIN = new Map(CYRILLIC.map((letter, i) => [letter, LATIN[i]!]));
const TO_CYRILLIC = new Map(LATIN.map((letter, i) => [letter, CYRILLIC[i]!]));
// Similar in few fonts only, so they still indicate the alphabet.
const WEAK = new Set('ьгbrкk');

export type Alphabet = 'cyrillic' | 'latin';

export function detectAlphabet(words: readonly { readonly text: string }[]): Alphabet {
  let balance = 0;
  for (const { text } of words) {
    for (const letter of text) {
      if (/[\u0400-\u04ff]/u.test(letter)) balance++;
      else if (/[a-zA-Z]/u.test(letter)) balance--;
    }
  }
  return balance >= 0 ? 'cyrillic' : 'latin';
}

/** Converts a word to the alphabet of its unambiguous letters, or the document's if it has none. Keeps mixed words. */
export function normalizeHomoglyphs(text: string, document: Alphabet): string {
  const letters = [...text].filter((letter) => /\p{L}/u.test(letter));
  const hasUnambiguous = (of: RegExp, twins: ReadonlyMap<string, string>) =>
    letters.some((letter) => of.test(letter) && (!twins.has(letter) || WEAK.has(letter)));
  const cyrillic = hasUnambiguous(/[\u0400-\u04ff]/u, TO_LATIN);
  const latin = hasUnambiguous(/[a-zA-Z]/u, TO_CYRILLIC);
  if (cyrillic && latin) return text;
  const twins = cyrillic || (!latin && document === 'cyrillic') ? TO_CYRILLIC : TO_LATIN;
  return [...text].map((letter) => twins.get(letter) ?? letter).join('');
}
