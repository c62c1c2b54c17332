import type { Token } from '../fields/page-tokens.ts';
import { inReadingOrder } from './group-tokens.ts';
import type { PageReading } from './page-reading.ts';
import { after, afterWrap, before } from './whole-names.ts';

/** A check box, or brackets around the mark or the code of an option. */
const OPTION = /^[☐☑☒□■]$|^\[|\]$/u;
const WORD = /[\p{L}\d]/u;
// Chosen: results on known forms are flat from 0.05 to 0.1. The words before a value are often its label, and the network is less
// sure of words that OCR read.
const MIN_SHARES = { text: { before: 0.1, after: 0.05 }, ocr: { before: 0.2, after: 0.1 } };
/** Of concrete; in sentences the network takes the `in` for a preposition before the value. */
const IN_SITU = /^in situ(?!\p{L})/iu;
const MAX_WORDS = 8;
// Longer texts are no values.
const MAX_MEMBERS = 80;
const ADDRESS = /address/u;

// Between two words of the value.
const MIN_SHARE_WITHIN = 0.02;

/**
 * Adds words beside and between the sure ones that the network doubts but puts into the value of their neighbour, as hysteresis
 * thresholding continues an edge: a value loses words more often than it gets too many.
 */
export function withDoubtfulWords(members: readonly number[], reading: PageReading, name: string): number[] {
  const { tokens, probabilityOf, affinity, areApart } = reading;
  if (members.length > MAX_MEMBERS) return [...members];
  const chosen = inReadingOrder(members.map((i) => tokens[i]!));
  const [first, last] = [chosen[0]!, chosen.at(-1)!];
  const read = (next: typeof after, start: Token, share: number): { found: Token[]; isEnd: boolean } => {
    const found: Token[] = [];
    for (let edge = start; found.length < MAX_WORDS; edge = found.at(-1)!) {
      const token = next(edge, tokens);
      if (!token || chosen.includes(token)) return { found, isEnd: true };
      const [i, at] = [tokens.indexOf(token), tokens.indexOf(edge)];
      const isOther =
        WORD.test(token.text) &&
        (probabilityOf(i, name) < share || affinity(i, at) < 0) &&
        !(next === before && IN_SITU.test(`${token.text} ${edge.text}`));
      if (isOther || found.includes(token) || OPTION.test(token.text) || areApart(i, at)) break;
      found.push(token);
    }
    return { found, isEnd: false };
  };
  const within = chosen
    .slice(1)
    .flatMap((token, i) => [read(after, chosen[i]!, MIN_SHARE_WITHIN), read(before, token, MIN_SHARE_WITHIN)])
    .flatMap(({ found, isEnd }) => (isEnd ? found.filter(({ text }) => WORD.test(text)) : []));
  // The words around a part of an address are labels and other parts.
  const least = MIN_SHARES[first.confidence === null ? 'text' : 'ocr'];
  const beside = ADDRESS.test(name)
    ? []
    : [
        read(before, first, least.before),
        read(after, last, least.after),
        // The next line may be that of another label.
        read(afterWrap, last, least.before),
      ].map(({ found }) => found.slice(0, found.findLastIndex(({ text }) => WORD.test(text)) + 1));
  const next = name === 'general:address' ? nextPart(last, reading) : restOfWord(last, reading, name);
  return inReadingOrder([...new Set([...chosen, ...within, ...beside.flat(), ...next])]).map((token) =>
    tokens.indexOf(token),
  );
}

/** The rest of a word that is hyphenated at the end of its line: `core` after `hollow-`. */
function restOfWord(last: Token, { tokens, likeliest, areApart }: PageReading, name: string): Token[] {
  const rest = /\p{L}-$/u.test(last.text) ? afterWrap(last, tokens) : undefined;
  if (!rest || !/^\p{Ll}{2}/u.test(rest.text)) return [];
  const at = tokens.indexOf(rest);
  return ['none', name].includes(likeliest(at)) && !areApart(at, tokens.indexOf(last)) ? [rest] : [];
}

/** The parts of an address behind the comma that ends `last`: `корпус Г`. */
function nextPart(last: Token, { tokens, likeliest, areApart }: PageReading): Token[] {
  const found: Token[] = [];
  for (let end = last; end.text.endsWith(',') && found.length < MAX_WORDS; end = found.at(-1)!) {
    const kind = afterWrap(end, tokens);
    const number = kind && PART.test(kind.text) ? after(kind, tokens) : undefined;
    const isFree = (token: Token) => {
      const i = tokens.indexOf(token);
      return /^(?:none$|general:address|address\.)/u.test(likeliest(i)) && !areApart(i, tokens.indexOf(last));
    };
    if (!number || !NUMBER.test(number.text) || !isFree(kind!) || !isFree(number)) break;
    found.push(kind!, number);
  }
  return found;
}

const PART = /^(?:корп(?:\.|ус)|стр(?:\.|оение)|кв(?:\.|артира)|пом(?:\.|ещение))$/iu;
const NUMBER = /^(?:\d{1,4}(?:-?\p{L})?|\p{Lu})[.,;]?$/u;

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
