import type { Value } from '../../extraction.ts';
import type { ValueSpec } from '../../schema/schema.ts';
import { readValue } from '../../schema/values.ts';
import { withoutCodes } from '../fields/code-columns.ts';
import { withoutStrayDots } from '../fields/correct-address.ts';
import { toTextValue, withoutScribbles } from '../fields/correct-text.ts';
import { overlapIndex } from '../fields/line-index.ts';
import { boundingBox, middleY, type Token, tokensInRange, withCommas } from '../fields/page-tokens.ts';
import { connect, groupOf, inReadingOrder, membersOf, type TokenGroup, textOf } from './group-tokens.ts';
import type { PageReading } from './page-reading.ts';
import { withDoubtfulWords } from './value-ends.ts';
import { withDecimals, withThousands } from './whole-amounts.ts';
import { afterWrap, withWholeNames } from './whole-names.ts';

export interface ReadValue {
  readonly tokens: readonly Token[];
  readonly value: Exclude<Value, null>;
  /** 0..1: mean probability of the words. */
  readonly score: number;
  /** 0..1: lowest probability of a word. */
  readonly lowest: number;
}

/** The best reading of a field on a page, by the class `name` of the network. */
export function readField(reading: PageReading, name: string, spec: ValueSpec): ReadValue | undefined {
  return best(readingsOf(reading, name, spec));
}

export function readingsOf(reading: PageReading, name: string, spec: ValueSpec): ReadValue[] {
  return connect(membersOf(reading, name), reading)
    .flatMap((members) => byCell(members, reading))
    .map((members) =>
      spec.type === 'string'
        ? besideCodes(withWholeNames(withDoubtfulWords(members, reading, name), reading), reading, spec)
        : withThousands(withDecimals(members, reading, spec, name), reading, spec),
    )
    .flatMap((members) => {
      if (spec.type === 'string' && name !== ADDRESS)
        return byPlace(members, reading).map((place) => groupOf(place, reading, name));
      const whole = groupOf(members, reading, name);
      if (spec.type === 'date') {
        const runs = byRuns(members, reading);
        return (runs.length > 0 ? runs : [members]).map((run) => {
          const group = groupOf(run, reading, name);
          if (parseGroup(group, spec)) return group;
          return { ...group, tokens: groupOf(withYearAndDay(run, reading, name), reading, name).tokens };
        });
      }
      if (spec.type !== 'number' && spec.type !== 'integer') return [whole];
      const runs = byRuns(members, reading).map((run) => groupOf(run, reading, name));
      return [whole, ...runs.filter(({ score }) => score > whole.score + MIN_GAIN)];
    })
    .flatMap((group) => parseGroup(group, spec) ?? [])
    .map((read) => withoutFullStop(read, reading));
}

/** Without the full stop of a sentence that ends in a consonant as abbreviations do, `сельский клуб.`, if another sentence follows it. */
function withoutFullStop(read: ReadValue, { tokens, areApart }: PageReading): ReadValue {
  const last = read.tokens.at(-1)!;
  const next = /\p{Ll}{4}\.$/u.test(String(read.value)) ? afterWrap(last, tokens) : undefined;
  const isSentence = next && /^\p{Lu}\p{Ll}/u.test(next.text) && !areApart(tokens.indexOf(next), tokens.indexOf(last));
  return isSentence ? { ...read, value: String(read.value).slice(0, -1) } : read;
}

/** Parts of an address and numbers may be single letters. */
function besideCodes(members: readonly number[], { tokens }: PageReading, spec: ValueSpec): number[] {
  const words = inReadingOrder(members.map((i) => tokens[i]!));
  if (spec.numbering || 'parts' in spec || !words.some(({ text }) => /\p{Ll}{3}/u.test(text))) return [...members];
  return withoutCodes(words, tokens).map((token) => tokens.indexOf(token));
}

/** Adds the year and the day in blanks of their own, which the network doubts. */
function withYearAndDay(
  members: readonly number[],
  { tokens, probabilityOf, affinity }: PageReading,
  name: string,
): number[] {
  const found = inReadingOrder(members.map((i) => tokens[i]!)).map((token) => tokens.indexOf(token));
  const { y0, y1 } = tokens[found.at(-1)!]!;
  const line = tokens.filter((token) => token.y0 < y1 && token.y1 > y0).sort((a, b) => a.x0 - b.x0);
  const add = (rest: readonly Token[], edge: number, maxBlank: number) => {
    let last = edge;
    for (const token of rest.slice(0, MAX_ADDED)) {
      const i = tokens.indexOf(token);
      const [left, right] = [token, tokens[last]!].sort((a, b) => a.x0 - b.x0);
      const isFar = right!.x0 - left!.x1 > maxBlank * (token.y1 - token.y0);
      const isOther = probabilityOf(i, name) < MIN_YEAR && affinity(i, last) < SURE_AFFINITY;
      if (isFar || (isOther && /[\p{L}\d]/u.test(token.text))) break;
      found.push(i);
      last = i;
    }
  };
  const [first, last] = [found[0]!, found.at(-1)!];
  add(line.slice(line.indexOf(tokens[last]!) + 1), last, MAX_BLANK);
  add(line.slice(0, Math.max(0, line.indexOf(tokens[first]!))).reverse(), first, MAX_SPACE);
  return found;
}

// Chosen. In heights of a word.
const MAX_BLANK = 15;
const MAX_SPACE = 2;
// Chosen. A year in four boxes, its blank and marks have fewer words.
const MAX_ADDED = 20;
const MIN_YEAR = 0.03;
const MIN_GAIN = 0.05;

/** The runs of words on one line, if there are several: two numbers that the network takes for one value. */
function byRuns(members: readonly number[], { tokens }: PageReading): number[][] {
  const runs: number[][] = [];
  let last: Token | undefined;
  for (const token of inReadingOrder(members.map((i) => tokens[i]!))) {
    const gap = last ? token.x0 - last.x1 : 0;
    const isNext = last && gap >= -1 && gap < 3 * (token.y1 - token.y0) && token.y0 < last.y1 && token.y1 > last.y0;
    if (isNext) runs.at(-1)!.push(tokens.indexOf(token));
    else runs.push([tokens.indexOf(token)]);
    last = token;
  }
  return runs.length > 1 ? runs : [];
}

/** A text does not go on behind words of another one, on its line or below. */
function byPlace(members: readonly number[], { tokens }: PageReading): number[][] {
  const others = tokens.filter(({ text }, i) => !members.includes(i) && /[\p{L}\d]/u.test(text));
  const places: Token[][] = [];
  for (const token of inReadingOrder(members.map((i) => tokens[i]!))) {
    const place = places.at(-1);
    const isNext = place && !others.some((other) => isBetween(other, place, token));
    if (isNext) place.push(token);
    else places.push([token]);
  }
  return places.map((place) => place.map((token) => tokens.indexOf(token)));
}

function isBetween(other: Token, place: readonly Token[], next: Token): boolean {
  const last = place.at(-1)!;
  const [from, y, to] = [middleY(last), middleY(other), middleY(next)];
  const half = 0.5 * (last.y1 - last.y0);
  if (Math.abs(to - from) < half)
    return Math.abs(y - from) < half && other.x0 >= last.x1 - 1 && other.x1 <= next.x0 + 1;
  if (y <= from + half || y >= to - half) return false;
  const { x0, x1 } = boundingBox([...place, next]);
  return other.x0 < x1 && other.x1 > x0;
}

/** A value does not go on in the next ruled cell, unless each cell holds one character. */
function byCell(members: readonly number[], { tokens, areApart, affinity }: PageReading): number[][] {
  if (members.filter((i) => [...tokens[i]!.text].length === 1).length > 0.6 * members.length) return [[...members]];
  const cells: number[][] = [];
  // A rule between two words of one text is an error, or a blank's.
  const isNext = (a: Token, b: Token) => b.x0 > a.x0 && b.x0 - a.x1 < 1.5 * (a.y1 - a.y0) && b.y0 < a.y1 && b.y1 > a.y0;
  const isSame = (i: number, j: number) =>
    !areApart(i, j) ||
    (affinity(i, j) > SURE_AFFINITY && (isNext(tokens[i]!, tokens[j]!) || isNext(tokens[j]!, tokens[i]!)));
  for (const i of members) {
    const cell = cells.find((cell) => cell.some((j) => isSame(j, i)));
    if (cell) cell.push(i);
    else cells.push([i]);
  }
  return cells;
}

const SURE_AFFINITY = 5;

/** Of several, a long reading wins over a slightly surer short one: the heading repeats only part of an address. */
export function best(found: readonly ReadValue[]): ReadValue | undefined {
  const weight = ({ score, tokens }: ReadValue) => score + 0.02 * Math.min(5, tokens.length);
  return [...found].sort((a, b) => weight(b) - weight(a))[0];
}

/** Reads the text of a group as a value; undefined if it is not one. */
export function parseGroup({ tokens: all, score, lowest }: TokenGroup, spec: ValueSpec): ReadValue | undefined {
  const tokens = spec.type === 'string' ? withoutScribbles(spec, all) : all;
  const plain = 'parts' in spec ? withoutStrayDots(withCommas(tokens)) : textOf(tokens);
  const text = spec.type === 'date' ? withDots(plain) : plain;
  if (spec.type === 'string') {
    const value = withoutCode(withoutLabel(toTextValue(spec, text, tokens), spec), spec);
    return /[\p{L}\d]/u.test(value) ? { tokens, value, score, lowest } : undefined;
  }
  const found = readValue(spec, text, labelOf(tokens));
  return found && { tokens: tokensInRange(tokens, found), value: found.value, score, lowest };
}

/** Without the code of an option before its text: `02 БЕТОННЫЙ`. */
const withoutCode = (text: string, spec: ValueSpec): string =>
  spec.numbering || 'parts' in spec ? text : text.replace(/^0\d\s+(?=\p{L}{3})/u, '');

/** Without the label of a number at its start: `инвентарное дело № 4097`. */
function withoutLabel(text: string, { synonyms = [] }: ValueSpec & { readonly synonyms?: readonly string[] }): string {
  const lower = text.toLowerCase();
  const label = synonyms
    .filter((synonym) => NUMBER_LABEL.test(synonym) && lower.startsWith(synonym.toLowerCase()))
    .filter((synonym) => /^[\s:.]*\d/u.test(text.slice(synonym.length)))
    .reduce((longest, synonym) => (synonym.length > longest.length ? synonym : longest), '');
  return label === '' ? text : text.slice(label.length).replace(/^[\s:.]+/u, '');
}

const NUMBER_LABEL = /№|номер|number|No\./iu;

/** Digits in boxes of their own. */
const withDots = (text: string): string => text.replace(/^(\d\d)\W?(\d\d)\W?(\d{4})$/u, '$1.$2.$3');

/** The words before a value on its line, up to another number; they may name its unit. */
export function labelOf([first]: readonly Token[]): string {
  if (!first) return '';
  const { tokens } = first.sheet;
  const before = overlapIndex(tokens)(first.y0, first.y1)
    .map((i) => tokens[i]!)
    .filter(({ x1, y0, y1 }) => x1 <= first.x0 + 1 && y0 < first.y1 && y1 > first.y0)
    .sort((a, b) => a.x0 - b.x0)
    .slice(-6)
    .map(({ text }) => text);
  return before.slice(before.findLastIndex((text) => /^\d/u.test(text)) + 1).join(' ');
}

const ADDRESS = 'general:address';
