/** How far a text is from what was said: words that are wrong, missing or too many, of so many that were said. */
export interface WordErrors {
  readonly errors: number;
  readonly words: number;
}

/**
 * Counts the words by which `heard` differs from `said` (Levenshtein's distance over words, as the word error rate
 * counts them): lower case, without punctuation, numbers as they come.
 */
export function wordErrors(said: string, heard: string): WordErrors {
  const [wanted, found] = [plainWords(said), plainWords(heard)];
  let row = Array.from({ length: found.length + 1 }, (_, i) => i);
  for (const [i, word] of wanted.entries()) {
    const next = [i + 1];
    for (const [j, other] of found.entries()) {
      next.push(Math.min(row[j + 1]! + 1, next[j]! + 1, row[j]! + (word === other ? 0 : 1)));
    }
    row = next;
  }
  return { errors: row.at(-1)!, words: wanted.length };
}

/** "Don't stop, Mr. X!" is `don't stop mr x`. */
export function plainWords(text: string): string[] {
  const plain = text
    .normalize('NFC')
    .toLowerCase()
    .replaceAll('’', "'")
    .replace(/[^\p{L}\p{M}\p{N}' ]+/gu, ' ');
  return plain.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word));
}
