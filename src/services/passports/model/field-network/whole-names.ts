import { createOnce } from '../../../../base/create-once.ts';
import { MAX_PITCH, nextLineIndex, overlapIndex } from '../fields/line-index.ts';
import { middleY, type Token } from '../fields/page-tokens.ts';
import { inReadingOrder } from './group-tokens.ts';
import type { PageReading } from './page-reading.ts';

const OPENING = /[«„“]/gu;
const CLOSING = /[»”]/gu;
const PAIRS = [
  [/[(]/gu, /[)]/gu],
  [OPENING, CLOSING],
] as const;
/** `ФГУП`, `ООО`, before the name. */
const LEGAL_FORM = /^\p{Lu}{2,5}$/u;
const BRANCH = /^[^«„“]*(?:филиал|отделени|представительств)/iu;
const MAX_WORDS = 12;

/**
 * Adds the words up to the other mark where a value ends within quotation marks or brackets, the quoted name before a branch
 * and the legal form before the name.
 */
export function withWholeNames(members: readonly number[], { tokens, areApart }: PageReading): number[] {
  const chosen = inReadingOrder(members.map((i) => tokens[i]!));
  const isFree = (token: Token | undefined): token is Token =>
    token !== undefined && !chosen.includes(token) && !areApart(tokens.indexOf(token), members[0]!);
  const text = chosen.map((token) => token.text).join(' ');
  let missing = 0;
  for (const [opening, closing] of PAIRS) {
    missing = (text.match(closing)?.length ?? 0) - (text.match(opening)?.length ?? 0);
    if (missing > 0) chosen.unshift(...upTo(opening, chosen[0]!, before).reverse());
    if (missing < 0) chosen.push(...upTo(closing, chosen.at(-1)!, after));
  }
  // A branch continues the name of its organization.
  const parent = missing === 0 && BRANCH.test(text) ? before(chosen[0]!, tokens) : undefined;
  if (isFree(parent) && /[»”],?$/u.test(parent.text)) chosen.unshift(...upTo(OPENING, chosen[0]!, before).reverse());
  if (/^[«„“]/u.test(chosen[0]?.text ?? '')) {
    const form = before(chosen[0]!, tokens);
    if (isFree(form) && LEGAL_FORM.test(form.text)) chosen.unshift(form);
  }
  return chosen.map((token) => tokens.indexOf(token));

  /** The words from `start` on to one with the mark; none if it is not near. */
  function upTo(mark: RegExp, start: Token, next: typeof before): Token[] {
    const found: Token[] = [];
    for (let token = next(start, tokens); isFree(token) && found.length < MAX_WORDS; token = next(token, tokens)) {
      found.push(token);
      if (token.text.search(mark) >= 0) return found;
    }
    return [];
  }
}

const heightOf = ({ y0, y1 }: Token): number => y1 - y0;
// A dash is low.
const taller = (a: Token, b: Token): number => Math.max(heightOf(a), heightOf(b));
const isOnLine = (a: Token, b: Token): boolean => Math.abs(middleY(a) - middleY(b)) < 0.5 * taller(a, b);
const isAdjacent = (left: Token, right: Token): boolean => {
  const gap = right.x0 - left.x1;
  return isOnLine(left, right) && gap > -2 && gap < 1.5 * taller(left, right);
};

/** The words beside a word on its line. */
const besideOf = createOnce((tokens: readonly Token[]) => {
  const find = (isBeside: (one: Token, token: Token) => boolean) =>
    createOnce((token: Token) => {
      const line = overlapIndex(tokens)(token.y0, token.y1);
      return tokens[line.find((i) => isBeside(tokens[i]!, token)) ?? -1];
    });
  return {
    left: find((one, token) => one.x0 < token.x0 && isAdjacent(one, token)),
    right: find((one, token) => one.x0 > token.x0 && isAdjacent(token, one)),
  };
});

/** The word before `token` in running text: left of it, or the last one of the line above. */
export function before(token: Token, tokens: readonly Token[]): Token | undefined {
  const { left, right } = besideOf(tokens);
  return left(token) ?? lineEnd(firstAbove(token, tokens), right);
}

/** The word after `token`: right of it, or the first one of the line below. */
export function after(token: Token, tokens: readonly Token[]): Token | undefined {
  const { left, right } = besideOf(tokens);
  return right(token) ?? lineEnd(firstBelow(token, tokens), left);
}

/** Like {@link after}, also at the end of a paragraph, whose last line may be shorter. */
export function afterWrap(token: Token, tokens: readonly Token[]): Token | undefined {
  const next = after(token, tokens);
  if (next) return next;
  const { left } = besideOf(tokens);
  const first = lineEnd(firstBelow(lineEnd(token, left)!, tokens), left);
  return first && first.x0 < token.x0 ? first : undefined;
}

/** From a word to the end of its line in one direction. */
function lineEnd(start: Token | undefined, beside: (token: Token) => Token | undefined): Token | undefined {
  let end = start;
  for (let next = end; next; next = beside(next)) end = next;
  return end;
}

function firstAbove(token: Token, tokens: readonly Token[]): Token | undefined {
  const middle = middleY(token);
  const above = overlapIndex(tokens)(middle - MAX_PITCH * heightOf(token), middle);
  return tokens[above.find((i) => isNextLine(tokens[i]!, token)) ?? -1];
}

function firstBelow(token: Token, tokens: readonly Token[]): Token | undefined {
  const middle = middleY(token);
  return tokens[nextLineIndex(tokens)(middle, middle).find((i) => isNextLine(token, tokens[i]!)) ?? -1];
}

/** Whether `lower` is on the next line below `upper`, in the same column. */
const isNextLine = (upper: Token, lower: Token): boolean => {
  const distance = middleY(lower) - middleY(upper);
  const overlap = Math.min(upper.x1, lower.x1) - Math.max(upper.x0, lower.x0);
  return overlap > -2 * heightOf(lower) && distance > 0.6 * heightOf(lower) && distance < MAX_PITCH * heightOf(lower);
};
