export interface WordErrors {
  readonly errors: number;
  readonly words: number;
}

/** Word-level Levenshtein distance, as in the word error rate: lower case, without punctuation, numbers unchanged. */
export function wordErrors(reference: string, hypothesis: string): WordErrors {
  const [wanted, found] = [plainWords(reference), plainWords(hypothesis)];
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

export function plainWords(text: string): string[] {
  const plain = text
    .normalize('NFC')
    .toLowerCase()
    .replaceAll('’', "'")
    .replace(/[^\p{L}\p{M}\p{N}' ]+/gu, ' ');
  return plain.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word));
}
