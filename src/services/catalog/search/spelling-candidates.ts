/** Shorter words are similar to too many others. */
export const MIN_MISSPELT_LENGTH = 4;

/**
 * Transpositions and, for short words, which share too few trigrams with their correction, also deletions, insertions
 * and substitutions (some 400 for five letters) in the word's alphabet.
 */
export function spellingCandidates(word: string): string[] {
  const letters = [...word];
  if (letters.length < MIN_MISSPELT_LENGTH) return [];
  const found = new Set<string>();
  const addReplaced = (from: number, to: number, ...replacement: readonly string[]) =>
    found.add([...letters.slice(0, from), ...replacement, ...letters.slice(to)].join(''));
  for (let i = 0; i + 1 < letters.length; i++) addReplaced(i, i + 2, letters[i + 1]!, letters[i]!);
  if (letters.length <= MAX_SHORT_LENGTH) {
    const alphabet = ALPHABETS.filter(([script]) => script.test(word)).flatMap(([, all]) => [...all]);
    for (let i = 0; i <= letters.length; i++) {
      for (const letter of alphabet) addReplaced(i, i, letter);
      if (i === letters.length) break;
      addReplaced(i, i + 1);
      for (const letter of alphabet) addReplaced(i, i + 1, letter);
    }
  }
  found.delete(word);
  return [...found];
}

const MAX_SHORT_LENGTH = 5;
const ALPHABETS = [
  [/\p{Script=Cyrillic}/u, 'абвгдежзийклмнопрстуфхцчшщъыьэюя'],
  [/[a-z]/, 'abcdefghijklmnopqrstuvwxyz'],
] as const;
