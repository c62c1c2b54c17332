/** Shorter words are like everything. */
export const SHORTEST_MISSPELT = 4;

/**
 * What a word may have been before one edit: two neighbours exchanged, and of short words, which have hardly three letters
 * in a row in common with what they are a misspelling of, also a letter left out, put in or replaced (some 400 words for
 * five letters). Letters put in are those of Russian and English, whichever the word is written in.
 */
export function neighbours(word: string): string[] {
  const letters = [...word];
  if (letters.length < SHORTEST_MISSPELT) return [];
  const found = new Set<string>();
  const put = (from: number, to: number, ...between: readonly string[]) =>
    found.add([...letters.slice(0, from), ...between, ...letters.slice(to)].join(''));
  for (let i = 0; i + 1 < letters.length; i++) put(i, i + 2, letters[i + 1]!, letters[i]!);
  if (letters.length <= LONGEST_SHORT) {
    const alphabet = ALPHABETS.filter(([of]) => of.test(word)).flatMap(([, all]) => [...all]);
    for (let i = 0; i <= letters.length; i++) {
      for (const letter of alphabet) put(i, i, letter);
      if (i === letters.length) break;
      put(i, i + 1);
      for (const letter of alphabet) put(i, i + 1, letter);
    }
  }
  found.delete(word);
  return [...found];
}

const LONGEST_SHORT = 5;
const ALPHABETS = [
  [/\p{Script=Cyrillic}/u, 'абвгдежзийклмнопрстуфхцчшщъыьэюя'],
  [/[a-z]/, 'abcdefghijklmnopqrstuvwxyz'],
] as const;
