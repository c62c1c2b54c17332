import type { Value } from '../../extraction.ts';
import { isMonthFirst, MONTH_FIRST_LABEL } from '../../schema/dates.ts';
import { findNumber } from '../../schema/numbers.ts';
import type { FieldSpec, ValueSpec } from '../../schema/schema.ts';
import { readValue } from '../../schema/values.ts';
import { joinText, tokensInRange } from '../fields/page-tokens.ts';
import { type FormDocument, type FormToken, isRuledOff } from './form-document.ts';
import { findChained, findSpelled, type LocatedValue, type LocateOptions } from './locate-text.ts';
import { normalizeValue } from './word-hash.ts';

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
  const add = (tokens: readonly FormToken[], factor: number, monthFirst = false) =>
    found.push({ parts: [tokens], literals: ['', ''], factor, spaced: false, ...(monthFirst && { monthFirst }) });
  const orders = spec.type === 'date' ? [false, true] : [false];
  for (const line of document.lines) {
    for (const [start, token] of line.entries()) {
      if (!isWhole && !/[\d«"“]/u.test(token.text) && (spec.type === 'number' || !/\p{L}{3}/u.test(token.text)))
        continue;
      if (isWhole) {
        for (let end = start + 1; end <= Math.min(line.length, start + 4); end++) {
          if (readValue(spec, joinText(line.slice(start, end)))?.value === value) add(line.slice(start, end), 1);
        }
        continue;
      }
      const window = runFrom(line, start, (spec.type === 'date' ? 14 : 1.1) * document.em, document);
      const text = joinText(window);
      const readings = orders.flatMap((monthFirst) => {
        const read = readValue(spec, text, monthFirst ? MONTH_FIRST_LABEL : '');
        return read ? [{ read, monthFirst }] : [];
      });
      const right = readings.find(({ read }) => read.start < token.text.length && isEqual(read.value, value));
      if (right) {
        const { read, monthFirst } = right;
        add(tokensInRange(window, read), 1, monthFirst || isMonthFirst([text.slice(read.start, read.end)]));
        continue;
      }
      const plain = spec.type === 'number' ? findNumber(text, spec.decimals) : undefined;
      if (!plain || plain.start >= token.text.length) continue;
      const factor = FACTORS.find((each) => isEqual(plain.value * each, value));
      if (factor !== undefined) add(tokensInRange(window, plain), factor);
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
