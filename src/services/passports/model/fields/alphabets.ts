// OCR with two alphabets takes letters of one for those of the other that look alike.

const PAIRS: Readonly<Record<string, string>> = {
  А: 'A',
  В: 'B',
  Е: 'E',
  К: 'K',
  М: 'M',
  Н: 'H',
  О: 'O',
  Р: 'P',
  С: 'C',
  Т: 'T',
  У: 'Y',
  Х: 'X',
  І: 'I',
  Ј: 'J',
  Ѕ: 'S',
  а: 'a',
  е: 'e',
  о: 'o',
  р: 'p',
  с: 'c',
  у: 'y',
  х: 'x',
  і: 'i',
  ј: 'j',
  ѕ: 's',
  к: 'k',
  ь: 'b',
  г: 'r',
};
const TO_LATIN = new Map(Object.entries(PAIRS));
const TO_CYRILLIC = new Map(Object.entries(PAIRS).map(([cyrillic, latin]) => [latin, cyrillic]));
// These look alike only now and then: they say which alphabet a word is of.
const WEAK = new Set('ьгbrкk');

export type Alphabet = 'cyrillic' | 'latin';

/** The alphabet in which most of the words are written. */
export function alphabetOf(words: readonly { readonly text: string }[]): Alphabet {
  let balance = 0;
  for (const { text } of words) {
    for (const letter of text) {
      if (/[\u0400-\u04ff]/u.test(letter)) balance++;
      else if (/[a-zA-Z]/u.test(letter)) balance--;
    }
  }
  return balance >= 0 ? 'cyrillic' : 'latin';
}

/**
 * `text` with its letters brought into one alphabet: that of the letters that are of one only, or, where all of them
 * could be of both, the alphabet of the document. A word with letters of each alone is left as it is.
 */
export function unmixed(text: string, document: Alphabet): string {
  const letters = [...text].filter((letter) => /\p{L}/u.test(letter));
  const only = (of: RegExp, twins: ReadonlyMap<string, string>) =>
    letters.some((letter) => of.test(letter) && (!twins.has(letter) || WEAK.has(letter)));
  const cyrillic = only(/[\u0400-\u04ff]/u, TO_LATIN);
  const latin = only(/[a-zA-Z]/u, TO_CYRILLIC);
  if (cyrillic && latin) return text;
  const twins = cyrillic || (!latin && document === 'cyrillic') ? TO_CYRILLIC : TO_LATIN;
  return [...text].map((letter) => twins.get(letter) ?? letter).join('');
}
