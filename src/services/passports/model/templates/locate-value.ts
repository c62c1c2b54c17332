import { isWithinEdits } from '../../../../base/edit-distance.ts';
import type { Value } from '../../extraction.ts';
import { findNumber } from '../../schema/numbers.ts';
import type { FieldSpec, ValueSpec } from '../../schema/schema.ts';
import { readValue } from '../../schema/values.ts';
import { type FormDocument, type FormToken, isRuledOff, middleX, middleY, textOf } from './form-document.ts';
import { normalizeValue } from './word-hash.ts';

export interface LocatedValue {
  /** Adjacent tokens, per place. */
  readonly parts: readonly (readonly FormToken[])[];
  /** Text before, between and after the parts: one more than parts. */
  readonly literals: readonly string[];
  readonly factor: number;
  readonly spaced: boolean;
}

export interface LocateOptions {
  /** Tokens where the reader found the value; preferred if the value is there. */
  readonly preferred: ReadonlySet<FormToken>;
  /** Tokens of other values. */
  readonly taken: ReadonlySet<FormToken>;
}

type Spec = ValueSpec & Partial<Pick<FieldSpec, 'label' | 'synonyms'>>;

/** Finds where a value stands in the document: exactly, or with a few OCR errors in texts. */
export function locateValue(
  document: FormDocument,
  spec: Spec,
  value: Exclude<Value, null>,
  options: LocateOptions,
): LocatedValue | undefined {
  const found =
    spec.type === 'string'
      ? [...findSpelled(document, String(value)), ...findChained(document, String(value), options)]
      : findParsed(document, spec, value);
  const ranked = found
    .map((one) => ({ one, rank: rank(document, spec, one, options) }))
    .sort((a, b) => b.rank - a.rank);
  return ranked[0]?.one;
}

/** The number of places with this value, which tells how certain the first one is. */
function rank(document: FormDocument, spec: Spec, { parts, factor }: LocatedValue, options: LocateOptions): number {
  const tokens = parts.flat();
  const share = (of: ReadonlySet<FormToken>) => tokens.filter((token) => of.has(token)).length / tokens.length;
  return (
    4 * share(options.preferred) -
    3 * share(options.taken) +
    2 * labelAffinity(document, spec, parts[0]!) -
    0.5 * (parts.length - 1) -
    (factor === 1 ? 0 : 1) -
    0.0001 * tokens[0]!.id
  );
}

/** 0..1: how well the words left of, above and below a place agree with the field's labels. */
function labelAffinity(document: FormDocument, spec: Spec, part: readonly FormToken[]): number {
  const first = part[0]!;
  const last = part.at(-1)!;
  const line = document.lines[first.line]!;
  const left = line.slice(0, line.indexOf(first)).slice(-8);
  const right = line.slice(line.indexOf(last) + 1).slice(0, 4);
  const isBeside = (token: FormToken) => token.x0 < last.x1 + 2 * document.em && token.x1 > first.x0 - 2 * document.em;
  const beside = (lines: readonly number[]) =>
    lines.flatMap((at) => (document.lines[at] ?? []).filter((token) => token.page === first.page && isBeside(token)));
  const above = beside([first.line - 4, first.line - 3, first.line - 2, first.line - 1]);
  const below = beside([last.line + 1, last.line + 2]);
  const contexts: [readonly FormToken[], number][] = [
    [left, 1],
    [above, 0.9],
    [below, 0.7],
    [right, 0.4],
  ];
  const label =
    spec.label === undefined ? [] : typeof spec.label === 'string' ? [spec.label] : Object.values(spec.label);
  const phrases = [...(spec.synonyms ?? []), ...label].map((phrase) => stems(phrase.split(/[\s/]+/u)));
  let best = 0;
  for (const [tokens, weight] of contexts) {
    const found = new Set(stems(tokens.map(({ text }) => text)));
    for (const phrase of phrases) {
      if (phrase.length === 0) continue;
      const share = phrase.filter((stem) => found.has(stem)).length / phrase.length;
      best = Math.max(best, share * weight * (0.8 + 0.05 * Math.min(4, phrase.length)));
    }
  }
  return best;
}

const stems = (words: readonly string[]): string[] =>
  words.map((word) => normalizeValue(word).slice(0, 5)).filter((stem) => stem.length > 2);

const FACTORS = [1, 1000, 0.01, 0.001, 10_000, 100, 1_000_000];
const MAX_WINDOW = 14;

/** Numbers, dates and choices. */
function findParsed(document: FormDocument, spec: ValueSpec, value: Exclude<Value, null>): LocatedValue[] {
  const found: LocatedValue[] = [];
  const isWhole = spec.type === 'enum' || spec.type === 'boolean';
  const add = (tokens: readonly FormToken[], factor: number) =>
    found.push({ parts: [tokens], literals: ['', ''], factor, spaced: false });
  for (const line of document.lines) {
    for (const [start, token] of line.entries()) {
      if (!isWhole && !/[\d«"“]/u.test(token.text) && (spec.type === 'number' || !/\p{L}{3}/u.test(token.text)))
        continue;
      if (isWhole) {
        for (let end = start + 1; end <= Math.min(line.length, start + 4); end++) {
          if (readValue(spec, textOf(line.slice(start, end)))?.value === value) add(line.slice(start, end), 1);
        }
        continue;
      }
      const window = runFrom(line, start, (spec.type === 'date' ? 14 : 1.1) * document.em, document);
      const text = textOf(window);
      const read = readValue(spec, text);
      if (read && read.start < token.text.length && isEqual(read.value, value)) {
        add(tokensIn(window, read), 1);
        continue;
      }
      const plain = spec.type === 'number' ? findNumber(text, spec.decimals) : undefined;
      if (!plain || plain.start >= token.text.length) continue;
      const factor = FACTORS.find((each) => isEqual(plain.value * each, value));
      if (factor !== undefined) add(tokensIn(window, plain), factor);
    }
  }
  return found;
}

/** Tokens of a line without a wide space or a rule between them. */
function runFrom(line: readonly FormToken[], start: number, wide: number, document: FormDocument): FormToken[] {
  const run = [line[start]!];
  for (const token of line.slice(start + 1, start + MAX_WINDOW)) {
    const last = run.at(-1)!;
    if (token.x0 - last.x1 > wide || isRuledOff(document, last, token)) break;
    run.push(token);
  }
  return run;
}

export function isEqual(read: Value, value: Value): boolean {
  if (typeof read === 'number' && typeof value === 'number') {
    return Math.abs(read - value) <= 1e-6 * Math.max(1, Math.abs(value));
  }
  return read === value;
}

/** The tokens that overlap a range of their joined text. */
export function tokensIn(tokens: readonly FormToken[], { start, end }: { start: number; end: number }): FormToken[] {
  return tokens.filter((token, i) => {
    const to = textOf(tokens.slice(0, i + 1)).length;
    return to - token.text.length < end && to > start;
  });
}

const MIN_SPELLED = 4;

/** Texts of one line, without regard to spaces: also characters in boxes of their own. */
function findSpelled(document: FormDocument, value: string): LocatedValue[] {
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
      found.push({ parts: [tokens], literals: ['', ''], factor: 1, spaced });
    }
  }
  return found;
}

const MAX_WORDS = 80;
const MAX_PLACES = 16;
const MIN_FOUND = 0.7;
const MIN_FOUND_ASSEMBLED = 0.55;

interface Step {
  readonly cost: number;
  /** Index of the token of this word, or of the last word before it that has one. */
  readonly token: FormToken | undefined;
  readonly taken: boolean;
  readonly previous: Step | undefined;
}

/** Texts of several words, lines or places: the chain of tokens with the shortest jumps (Viterbi). */
function findChained(document: FormDocument, value: string, { preferred, taken }: LocateOptions): LocatedValue[] {
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
  for (const [i, { plain, start }] of words.entries()) {
    const isCapital = /\p{Lu}/u.test(value[start]!);
    const skip = /\d/u.test(plain) ? 2.5 : isCapital ? 1.5 + 0.25 * plain.length : 1.2 + 0.15 * plain.length;
    const next: Step[] = steps.map((step) => ({ ...step, cost: step.cost + skip, taken: false, previous: step }));
    for (const token of places[i]!) {
      let best: Step | undefined;
      const own = (taken.has(token) ? 2 : 0) - (preferred.has(token) ? 1 : 0);
      for (const step of steps) {
        const cost = step.cost + own + (step.token ? jump(step.token, token, document) : 0);
        if (!best || cost < best.cost) best = { cost, token, taken: true, previous: step };
      }
      if (best) next.push(best);
    }
    steps = next;
  }
  const best = steps.reduce((a, b) => (b.cost < a.cost ? b : a));
  return toLocated(best, words, value, document) ?? [];
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
  value: string,
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
    if (open && before && (isMisread || isAdjacent(before, token, document)) && hasPunctuation(before, token, between)) {
      open.tokens.push(
        ...document.tokens.slice(before.id + 1, token.line === before.line ? token.id : before.id + 1),
        token,
      );
      open.to = i;
    } else groups.push({ tokens: [token], from: i, to: i });
  }
  const isAssembled = groups.length > 1;
  for (const group of isAssembled ? [...groups] : []) {
    // Abbreviations before a blank (д., кв.) are words of the form.
    while (group.tokens.length > 0 && isAbbreviation(group.tokens.at(-1)!)) {
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
  literals.push(value.slice(at));
  if (groups.length === 1) return [{ parts: [groups[0]!.tokens], literals: ['', ''], factor: 1, spaced: false }];
  if (!literals.every(isForm)) return undefined;
  return [{ parts: groups.map(({ tokens }) => tokens), literals, factor: 1, spaced: false }];
}

/** Short lower-case words and punctuation, which belong to the form and not to the value: `, д. `, ` район, `. */
const isForm = (literal: string): boolean =>
  literal.length <= 24 &&
  !/\d|\p{Lu}/u.test(literal) &&
  (literal.match(/\p{L}+/gu) ?? []).every((word) => word.length <= 8);

const isAbbreviation = ({ text }: FormToken): boolean => /^(\p{Ll}{1,3}|\p{Ll}{1,5}\.)$/u.test(text);

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
