import type { Area, TextToken } from './page-tokens.ts';

const CODE = /^\p{Lu}$/u;
const MIN_OTHERS = 2;
/** In points. */
const ALIGNED = 2;

/** Without single letters within or behind a text that belong to a column of codes beside it: conditions from A to D. */
export function withoutCodes<T extends TextToken & Area>(tokens: readonly T[], page: readonly T[]): T[] {
  const isCode = (token: T, at: number) =>
    at > 0 &&
    CODE.test(token.text) &&
    page.filter((other) => CODE.test(other.text) && !tokens.includes(other) && Math.abs(other.x0 - token.x0) < ALIGNED)
      .length >= MIN_OTHERS;
  return tokens.filter((token, at) => !isCode(token, at));
}
