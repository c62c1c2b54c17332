import type { Token } from '../fields/page-tokens.ts';
import { inReadingOrder } from './group-tokens.ts';
import type { PageReading } from './page-reading.ts';
import { after, before } from './whole-names.ts';

/** A check box, or brackets around the mark or the code of an option. */
const OPTION = /^[☐☑☒□■]$|^\[|\]$/u;
const WORD = /[\p{L}\d]/u;
// Chosen: results on known forms are flat from 0.05 to 0.1. The words before a value are often its label, and the network is less
// sure of words that OCR read.
const MIN_SHARES = { text: { before: 0.1, after: 0.05 }, ocr: { before: 0.2, after: 0.1 } };
const MAX_WORDS = 8;

/**
 * Adds words at both ends that the network doubts but puts into the value of their neighbour, as hysteresis thresholding
 * continues an edge: a value loses its first or last words more often than it gets too many.
 */
export function withDoubtfulEnds(members: readonly number[], reading: PageReading, name: string): number[] {
  const { tokens, probabilityOf, affinity, areApart } = reading;
  const least = MIN_SHARES[tokens[0]!.confidence === null ? 'text' : 'ocr'];
  const isDoubtful = (i: number) => !members.includes(i) && probabilityOf(i, name) >= least.after;
  // The words around a part of an address are labels and other parts.
  if (/address/u.test(name) || ![...tokens.keys()].some(isDoubtful)) return [...members];
  const chosen = inReadingOrder(members.map((i) => tokens[i]!));
  const added = (next: typeof after, end: Token, share: number): Token[] => {
    const found = [end];
    while (found.length <= MAX_WORDS) {
      const last = found.at(-1)!;
      const token = next(last, tokens);
      if (!token || chosen.includes(token) || found.includes(token) || OPTION.test(token.text)) break;
      const [i, edge] = [tokens.indexOf(token), tokens.indexOf(last)];
      if (areApart(i, edge)) break;
      if (WORD.test(token.text) && (probabilityOf(i, name) < share || affinity(i, edge) < 0)) break;
      found.push(token);
    }
    return found.slice(1, found.findLastIndex(({ text }) => WORD.test(text)) + 1);
  };
  const first = added(before, chosen[0]!, least.before).toReversed();
  return [...first, ...chosen, ...added(after, chosen.at(-1)!, least.after)].map((token) => tokens.indexOf(token));
}

/** Whether a value has all of its words and no others. */
export interface Ends {
  /** 0..1: the highest probability of the class for the words beside the value. */
  readonly beside: number;
  /** Whether no word follows in its cell, on its line or on the next. */
  readonly isLast: boolean;
  /** The lowest affinity of two words in sequence, at most {@link SURE_BOND}; that of one word is sure. */
  readonly bond: number;
}

export const SURE_BOND = 6;

export function endsOf(
  value: readonly Token[],
  { tokens, probabilityOf, affinity, areApart }: PageReading,
  name: string,
): Ends {
  const own = value.map((token) => tokens.indexOf(token)).filter((i) => i >= 0);
  const neighbour = (next: typeof after, end: number | undefined): { at: number; isApart: boolean } | undefined => {
    const token = end === undefined ? undefined : next(tokens[end]!, tokens);
    if (!token || value.includes(token)) return undefined;
    const at = tokens.indexOf(token);
    return { at, isApart: areApart(at, end!) };
  };
  const [previous, following] = [neighbour(before, own[0]), neighbour(after, own.at(-1))];
  const likely = [previous, following].map((one) => (one ? probabilityOf(one.at, name) : 0));
  return {
    beside: Math.max(...likely),
    isLast: !following || following.isApart,
    bond: Math.min(SURE_BOND, ...own.slice(1).map((i, at) => affinity(i, own[at]!))),
  };
}
