import { wordsOf } from '../records/words.ts';

export const MOST_WORDS = 20;

/** What a `q` asks for. Words are as `wordsOf` makes them. */
export interface WordsAsked {
  /** Any form of them will do, parts and what is nearly right too. */
  readonly words: readonly string[];
  /** Side by side in this order, in any form. */
  readonly phrases: readonly (readonly string[])[];
  /** None of them, a single word or a phrase. */
  readonly excluded: readonly (readonly string[])[];
  /** All words together. */
  readonly count: number;
}

/**
 * Takes a `q` apart: words, `"quoted words"`, `-word` and `-"quoted words"`. Nothing in it is an error: a quote that is
 * not closed lasts to the end, and a sign that means nothing here only divides words.
 */
export function wordsAsked(q: string): WordsAsked {
  const words = new Set<string>();
  const phrases: string[][] = [];
  const excluded: string[][] = [];
  for (const [, minus, quoted, plain] of q.matchAll(PART)) {
    const found = wordsOf(quoted ?? plain ?? '');
    if (found.length === 0) continue;
    if (minus !== undefined) excluded.push(found);
    else if (quoted !== undefined) phrases.push(found);
    else for (const word of found) words.add(word);
  }
  const count = [...phrases, ...excluded].reduce((sum, each) => sum + each.length, words.size);
  return { words: [...words], phrases, excluded, count };
}

// A minus counts only where a word begins: `wall-17` is two words. Russian quotation marks are quotes too.
const PART = /(?:(?<!\S)(-))?(?:["«“„]([^"»”“]*)["»”“]?|([^\s"«“„]+))/gu;
