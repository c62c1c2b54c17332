import { middleY } from '../fields/page-tokens.ts';
import { type FormDocument, type FormToken, isRuledOff } from './form-document.ts';
import type { Lesson, LessonPart } from './lesson.ts';
import type { FormMatch } from './match-form.ts';

export interface PlaceContext {
  readonly lesson: Lesson;
  readonly match: FormMatch;
  readonly document: FormDocument;
  /** Tokens of values read before. */
  readonly taken: ReadonlySet<FormToken>;
}

/** The token is no word of the form and of no other value. */
export const isValue = ({ match, taken }: PlaceContext, token: FormToken): boolean =>
  !match.constants.has(token) && !taken.has(token);

// In heights of a word.
const WIDE = 2.2;
const LINE_STEP = 2.6;
const MAX_MORE_LINES = 3;

/** The widest space within a value. Running text may be justified. */
export function widest({ gap, space, after }: LessonPart, { em }: FormDocument, scale: number): number {
  const wide = Math.max(WIDE * em, (1.5 * gap) / scale);
  if (space === undefined || after.end) return wide;
  return Math.min(wide, Math.max((0.7 * space) / scale, (1.2 * gap) / scale, 0.7 * em));
}

interface RunOptions extends PlaceContext {
  readonly wide: number;
  readonly firstGap: number;
  readonly spaced: boolean;
}

/** `ended`: a word of the form, another value or a wide space follows on the line. */
export function readRun(rest: readonly FormToken[], from: FormToken | undefined, options: RunOptions) {
  const { document, wide, firstGap, spaced } = options;
  const tokens: FormToken[] = [];
  let last = from;
  for (const [i, token] of rest.entries()) {
    const gap = last ? token.x0 - last.x1 : 0;
    const isFirst = tokens.length === 0;
    if (!isValue(options, token)) {
      // Punctuation and short words of the form directly after the label do not end the search.
      if (isFirst && options.match.constants.has(token) && token.word.length < 3 && gap < wide) {
        last = token;
        continue;
      }
      return { tokens, ended: true };
    }
    if (isFirst && !spaced && isSignBefore(token, valueAfter(options, rest[i + 1])) && gap < firstGap) {
      last = token;
      continue;
    }
    if (gap > (isFirst ? firstGap : wide)) return { tokens, ended: true };
    if (last && !spaced && !isFirst && isRuledOff(document, last, token)) return { tokens, ended: true };
    tokens.push(token);
    last = token;
  }
  return { tokens, ended: false };
}

/** A bracket or a quotation is not closed yet. */
export function isOpen(tokens: readonly FormToken[]): boolean {
  const text = tokens.map((token) => token.text).join(' ');
  const count = (signs: RegExp) => text.match(signs)?.length ?? 0;
  return count(/[(]/gu) > count(/[)]/gu) || count(/«/gu) > count(/»/gu);
}

/** Further lines of a text: below it, or from the left margin of running text. */
export function readOn(
  part: LessonPart,
  start: readonly FormToken[],
  before: FormToken,
  context: PlaceContext,
  wide: number,
): FormToken[] {
  const { document, match } = context;
  const scale = match.scales[before.page] ?? 1;
  const right = Math.max(...document.tokens.filter(({ page }) => page === before.page).map(({ x1 }) => x1));
  const more: FormToken[] = [];
  let end = start.at(-1) ?? before;
  for (let lines = 1; lines < part.lines + MAX_MORE_LINES; lines++) {
    const isExpected = lines < part.lines || end.x1 > 0.88 * right || isOpen([...start, ...more]);
    if (!isExpected) break;
    const next = document.lines[end.line + 1];
    if (!next || next[0]!.page !== end.page || middleY(next[0]!) - middleY(end) > LINE_STEP * document.em) break;
    // Under the value, or from the margin in running text.
    const margin = document.lines[before.line]![0]!.x0;
    const isBelow = isOpen([...start, ...more]);
    if (lines >= part.lines && !isBelow && Math.abs(next[0]!.x0 - margin) > 3 * document.em) break;
    const left = isBelow ? start[0]!.x0 - document.em : Math.min(before.x0, part.x0 / scale) - 3 * document.em;
    const rest = lines >= part.lines && !isBelow ? next : next.filter((token) => token.x0 > left);
    if (rest.length === 0) break;
    const options = { ...context, wide, firstGap: Number.POSITIVE_INFINITY, spaced: false };
    const { tokens, ended } = readRun(rest, undefined, options);
    if (tokens.length === 0 || match.constants.has(rest[0]!)) break;
    more.push(...tokens);
    end = tokens.at(-1)!;
    if (ended) break;
  }
  return more;
}

/** A sign of the form before a value: №, a dash. */
export const isSign = ({ text }: FormToken): boolean => /^([^\p{L}\d«"(]+|№.?|N[oо°º]?\.?)$/u.test(text);

/** `No` before an English word begins a sentence. */
export const isSignBefore = (token: FormToken, next: FormToken | undefined): boolean =>
  isSign(token) && !(token.text === 'No' && /^[a-z]{2}/u.test(next?.text ?? ''));

const valueAfter = (context: PlaceContext, next: FormToken | undefined) =>
  next && isValue(context, next) ? next : undefined;
