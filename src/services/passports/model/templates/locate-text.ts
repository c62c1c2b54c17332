import { isWithinEdits } from '../../../../base/edit-distance.ts';
import { middleX, middleY } from '../fields/page-tokens.ts';
import { type FormDocument, type FormToken, isRuledOff } from './form-document.ts';
import { normalizeValue } from './word-hash.ts';

export interface LocatedValue {
  /** Adjacent tokens, per place. */
  readonly parts: readonly (readonly FormToken[])[];
  /** Text before, between and after the parts: one more than parts. */
  readonly literals: readonly string[];
  readonly factor: number;
  readonly monthFirst?: true;
  readonly spaced: boolean;
}

export interface LocateOptions {
  /** Tokens where the reader found the value; preferred if the value is there. */
  readonly preferred: ReadonlySet<FormToken>;
  /** Tokens of other values. */
  readonly taken: ReadonlySet<FormToken>;
  /** Whether words of the form join the parts of the value, as in an address. */
  readonly hasParts: boolean;
}

const MIN_SPELLED = 4;

/** Texts of one line, without regard to spaces: also characters in boxes of their own. */
export function findSpelled(document: FormDocument, value: string): LocatedValue[] {
  const wanted = normalizeValue(value);
  if (wanted.length < MIN_SPELLED) return [];
  const found: LocatedValue[] = [];
  for (const line of document.lines) {
    let text = '';
    const owners: number[] = [];
    for (const [index, token] of line.entries()) {
      const plain = normalizeValue(token.text);
      text += plain;
      for (let i = 0; i < plain.length; i++) owners.push(index);
    }
    for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
      const tokens = line.slice(owners[at]!, owners[at + wanted.length - 1]! + 1);
      // Part of a longer word or number.
      if (tokens.reduce((sum, { text }) => sum + normalizeValue(text).length, 0) > wanted.length) continue;
      const spaced = tokens.length >= MIN_SPELLED && tokens.length >= 0.7 * wanted.length;
      const inCells = spaced ? undefined : splitAtCells(tokens, value, document);
      if (found.length >= MAX_PLACES) return found;
      found.push(inCells ?? { parts: [tokens], literals: ['', ''], factor: 1, spaced });
    }
  }
  return found;
}

/** The parts of a number such as `66:02:1701012` in cells of their own; the signs between them become the literals. */
function splitAtCells(tokens: readonly FormToken[], value: string, document: FormDocument): LocatedValue | undefined {
  if (tokens.length > MAX_IN_CELLS) return undefined;
  const parts: FormToken[][] = [];
  for (const token of tokens) {
    const last = parts.at(-1)?.at(-1);
    if (last && !isRuledOff(document, last, token)) parts.at(-1)!.push(token);
    else parts.push([token]);
  }
  if (parts.length < 2) return undefined;
  const letters = [...value.matchAll(/[\p{L}\d]/gu)].map(({ index }) => index);
  const literals: string[] = [];
  let [at, end] = [0, 0];
  for (const part of parts) {
    literals.push(value.slice(end, letters[at]));
    at += part.reduce((sum, { text }) => sum + normalizeValue(text).length, 0);
    end = (letters[at - 1] ?? value.length - 1) + 1;
  }
  literals.push(value.slice(end));
  return literals.every((literal) => isForm(literal, false))
    ? { parts, literals, factor: 1, spaced: false }
    : undefined;
}

const MAX_IN_CELLS = 24;

const MAX_WORDS = 80;

const MAX_PLACES = 16;

const MIN_FOUND = 0.7;

const MIN_FOUND_ASSEMBLED = 0.55;

/** The cost of a word elsewhere than behind the word before it, where it stands too. */
const TORN = 3;

/** The cost of a number that no part has: more than that of a jump to another line, since a text without it is no place. */
const MISSING_NUMBER = 5;

interface Step {
  readonly cost: number;
  /** Index of the token of this word, or of the last word before it that has one. */
  readonly token: FormToken | undefined;
  readonly taken: boolean;
  readonly previous: Step | undefined;
}

/** Texts of several words, lines or places: the chain of tokens with the shortest jumps (Viterbi). */
export function findChained(
  document: FormDocument,
  value: string,
  { preferred, taken, hasParts }: LocateOptions,
): LocatedValue[] {
  const words = splitValue(value);
  if (words.length === 0 || words.length > MAX_WORDS) return [];
  const tokens = document.tokens.map((token) => ({ token, plain: normalizeValue(token.text) }));
  const places = words.map(({ plain }) => {
    const exact = tokens.filter((one) => one.plain === plain);
    const similar =
      exact.length > 0 || plain.length < 4
        ? exact
        : tokens.filter((one) => isWithinEdits(one.plain, plain, Math.floor(plain.length / 4)));
    const all = similar.map(({ token }) => token);
    const first = all.filter((token) => preferred.has(token));
    return [...first, ...all.filter((token) => !preferred.has(token))].slice(0, MAX_PLACES);
  });
  let steps: Step[] = [{ cost: 0, token: undefined, taken: false, previous: undefined }];
  for (const [i, { plain, start, end }] of words.entries()) {
    const isCapital = /\p{Lu}/u.test(value[start]!);
    const isDistinct = /\d/u.test(plain) || (plain.length === 1 && endsPart(value, start, end));
    const skip = isDistinct ? MISSING_NUMBER : isCapital ? 1.5 + 0.25 * plain.length : 1.2 + 0.15 * plain.length;
    const next: Step[] = steps.map((step) => ({ ...step, cost: step.cost + skip, taken: false, previous: step }));
    for (const token of places[i]!) {
      let best: Step | undefined;
      const own = (taken.has(token) ? 2 : 0) - (preferred.has(token) ? 1 : 0);
      for (const step of steps) {
        const behind = step.token && tokens[step.token.id + 1];
        const isTorn = behind?.plain === plain && behind.token !== token;
        const cost = step.cost + own + (step.token ? jump(step.token, token, document) : 0) + (isTorn ? TORN : 0);
        if (!best || cost < best.cost) best = { cost, token, taken: true, previous: step };
      }
      if (best) next.push(best);
    }
    steps = next;
  }
  const best = steps.reduce((a, b) => (b.cost < a.cost ? b : a));
  return toLocated(best, words, { value, hasParts }, document) ?? [];
}

function jump(from: FormToken, to: FormToken, document: FormDocument): number {
  const { em } = document;
  if (to === from) return 50;
  if (to.line === from.line) {
    const between = to.id - from.id;
    if (between === 1) return Math.min(1, 0.02 * ((to.x0 - from.x1) / em));
    return between > 1 ? 0.4 + 0.2 * between : 2.5;
  }
  if (to.page !== from.page) return 5;
  const dy = middleY(to) - middleY(from);
  if (dy > 0 && dy < 2.6 * em && to.x0 < from.x1) return isWrap(from, to, document) ? 0.5 : 1.6;
  return 2 + Math.min(2, Math.hypot(middleX(to) - middleX(from), dy) / 300) + (dy < 0 ? 0.5 : 0);
}

interface ValueWord {
  readonly plain: string;
  readonly start: number;
  readonly end: number;
}

function splitValue(value: string): ValueWord[] {
  const found: ValueWord[] = [];
  for (const match of value.matchAll(/[^\s/]+/gu)) {
    let { index } = match;
    for (const piece of match[0].split(/(?<=\p{L}\.)(?=\d)|(?<=№)(?=\d)/u)) {
      const plain = normalizeValue(piece);
      const letters = [...piece.matchAll(/[\p{L}\d]/gu)];
      const last = letters.at(-1);
      if (plain !== '' && last) {
        found.push({ plain, start: index + letters[0]!.index, end: index + last.index + last[0].length });
      }
      index += piece.length;
    }
  }
  return found;
}

function toLocated(
  last: Step,
  words: readonly ValueWord[],
  { value, hasParts }: { value: string; hasParts: boolean },
  document: FormDocument,
): LocatedValue[] | undefined {
  const chosen: (FormToken | undefined)[] = [];
  for (let step: Step | undefined = last; step?.previous; step = step.previous) {
    chosen.unshift(step.taken ? step.token : undefined);
  }
  const length = (some: readonly ValueWord[]) => some.reduce((sum, { plain }) => sum + plain.length, 0);
  const foundShare = length(words.filter((_, i) => chosen[i])) / length(words);
  const groups: { tokens: FormToken[]; from: number; to: number }[] = [];
  for (const [i, token] of chosen.entries()) {
    if (!token) continue;
    const open = groups.at(-1);
    const before = open?.tokens.at(-1);
    const between = open ? value.slice(words[open.to]!.end, words[i]!.start) : '';
    // Words of the value that the page has in another spelling.
    const skipped = open ? i - open.to - 1 : 0;
    const isMisread = before && token.line === before.line && skipped > 0 && token.id - before.id - 1 === skipped;
    if (
      open &&
      before &&
      (isMisread || isAdjacent(before, token, document)) &&
      hasPunctuation(before, token, between)
    ) {
      open.tokens.push(
        ...document.tokens.slice(before.id + 1, token.line === before.line ? token.id : before.id + 1),
        token,
      );
      open.to = i;
    } else groups.push({ tokens: [token], from: i, to: i });
  }
  const isAssembled = groups.length > 1;
  for (const group of isAssembled ? [...groups] : []) {
    // Abbreviations before a blank (д., кв.) are words of the form, but not `б` in `корп. б,`.
    while (group.tokens.length > 0 && isAbbreviation(group.tokens.at(-1)!.text)) {
      const { start, end } = words[group.to]!;
      if (endsPart(value, start, end)) break;
      group.tokens.pop();
      group.to--;
    }
    if (group.tokens.length === 0) groups.splice(groups.indexOf(group), 1);
  }
  if (groups.length === 0 || foundShare < (groups.length === 1 ? MIN_FOUND : MIN_FOUND_ASSEMBLED)) return undefined;
  const all = groups.flatMap(({ tokens }) => tokens);
  if (new Set(all).size < all.length) return undefined;
  const literals: string[] = [];
  let at = 0;
  for (const { from, to } of groups) {
    literals.push(value.slice(at, words[from]!.start));
    at = words[to]!.end;
  }
  // A sign that the last word of the page has too: the bracket of `3 (I)`, which the next document may lack.
  const end = value.slice(at);
  literals.push(all.at(-1)!.text.endsWith(end) ? '' : end);
  if (groups.length === 1) return [{ parts: [groups[0]!.tokens], literals: ['', ''], factor: 1, spaced: false }];
  if (!literals.every((literal) => isForm(literal, hasParts))) return undefined;
  return [{ parts: groups.map(({ tokens }) => tokens), literals, factor: 1, spaced: false }];
}

/**
 * Punctuation and abbreviations, and between the parts of a value short lower-case words, which belong to the form and not to
 * the value: `, д. `, ` район, `. Another word may be one of the value that the page lacks, and would be read on other documents.
 */
const isForm = (literal: string, hasParts: boolean): boolean =>
  literal.length <= 24 &&
  !/\d|\p{Lu}/u.test(literal) &&
  !SHORT_VALUE.test(literal) &&
  (literal.match(/\p{L}+\.?/gu) ?? []).every((word) => isAbbreviation(word) || (hasParts && word.length <= 8));

/** A letter that ends a part: `б` in `, корп. б, `. */
const SHORT_VALUE = /(?<![\p{L}/-])\p{L}{1,2}(?=[,)»"]|$)/u;

/** A word that ends a part of the value, as `б` in `корп. б, кв. 27`. */
const endsPart = (value: string, start: number, end: number): boolean =>
  value[start - 1] === ' ' && (end === value.length || value[end] === ',');

const isAbbreviation = (text: string): boolean => /^(\p{Ll}{1,3}|\p{Ll}{1,5}\.)$/u.test(text);

/** The page has the punctuation of the typed value between two words. */
const hasPunctuation = (a: FormToken, b: FormToken, between: string): boolean =>
  !/[,;]/u.test(between) || /[,;]$/u.test(a.text) || /^[,;]/u.test(b.text);

/** Lines of running text, and not blanks below each other with labels beside them. */
function isWrap(a: FormToken, b: FormToken, { em, tokens }: Pick<FormDocument, 'em' | 'tokens'>): boolean {
  const after = tokens[a.id + 1];
  const before = tokens[b.id - 1];
  const isLast = after?.line !== a.line || after.x0 - a.x1 > 3 * em;
  const isFirst = before?.line !== b.line || b.x0 - before.x1 > 3 * em;
  return isLast && isFirst;
}

function isAdjacent(a: FormToken, b: FormToken, { em, tokens }: FormDocument): boolean {
  if (a.line === b.line) {
    // A dash between two words is part of the value.
    const isJoined = b.id - a.id === 1 || (b.id - a.id === 2 && /^[—–-]$/u.test(tokens[a.id + 1]!.text));
    return isJoined && b.x0 - a.x1 < 3 * em;
  }
  const dy = middleY(b) - middleY(a);
  if (a.page !== b.page || dy <= 0 || dy > 2.6 * em || b.x0 > a.x1) return false;
  return isWrap(a, b, { em, tokens });
}
