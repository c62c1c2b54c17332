import { splitWords } from '../records/words.ts';

export const MAX_WORDS = 20;

export interface ParsedQuery {
  /** Match in any form, in part and with typos. */
  readonly words: readonly string[];
  /** Match adjacent, in any form. */
  readonly phrases: readonly (readonly string[])[];
  readonly excluded: readonly (readonly string[])[];
  readonly count: number;
}

/** Parses words, `"quoted words"`, `-word` and `-"quoted words"`. Never fails: an unclosed quote extends to the end. */
export function parseQuery(q: string): ParsedQuery {
  const words = new Set<string>();
  const phrases: string[][] = [];
  const excluded: string[][] = [];
  for (const [, minus, quoted, plain] of q.matchAll(PART)) {
    const found = splitWords(quoted ?? plain ?? '');
    if (found.length === 0) continue;
    if (minus !== undefined) excluded.push(found);
    else if (quoted !== undefined) phrases.push(found);
    else for (const word of found) words.add(word);
  }
  const count = [...phrases, ...excluded].reduce((sum, each) => sum + each.length, words.size);
  return { words: [...words], phrases, excluded, count };
}

// A minus excludes only at the start of a word. Russian quotation marks count as quotes.
const PART = /(?:(?<!\S)(-))?(?:["«“„]([^"»”“]*)["»”“]?|([^\s"«“„]+))/gu;
