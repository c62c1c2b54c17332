import type { Value } from '../extraction.ts';
import { findDate, parseDate } from './dates.ts';
import { asDigits, type Found, findNumber, parseNumber } from './numbers.ts';
import { schemaPattern } from './pattern.ts';
import type { ValueSpec, Wording } from './schema.ts';
import { unitFactor } from './units.ts';

export type ValueProblem = 'type' | 'enum' | 'pattern' | 'minimum' | 'maximum' | 'too_long';
export type ParseResult =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problem: ValueProblem };

const MAX_CHARACTERS = 10_000;
/** Limit for dates and numbers; the longest date in words has 70 characters. */
const MAX_CHARACTERS_PARSED = 100;

export const maxLengthOf = ({ type }: ValueSpec): number =>
  type === 'date' || type === 'number' || type === 'integer' ? MAX_CHARACTERS_PARSED : MAX_CHARACTERS;

/** Parses the whole `text`; empty is null, strings are unchanged. */
export function parseValue(spec: ValueSpec, text: string): ParseResult {
  if ([...text].length > maxLengthOf(spec)) return { ok: false, problem: 'too_long' };
  if (text.trim() === '') return { ok: true, value: null };
  const value = PARSERS[spec.type](text, spec);
  if (value === undefined) return { ok: false, problem: spec.type === 'enum' ? 'enum' : 'type' };
  const problem = findProblem(spec, value);
  return problem ? { ok: false, problem } : { ok: true, value };
}

export function findProblem(spec: ValueSpec, value: Value): ValueProblem | undefined {
  if (typeof value === 'number') {
    if (spec.minimum !== undefined && value < spec.minimum) return 'minimum';
    if (spec.maximum !== undefined && value > spec.maximum) return 'maximum';
  }
  if (spec.pattern !== undefined && value !== null && !schemaPattern(spec.pattern, 'u').test(String(value))) {
    return 'pattern';
  }
  return undefined;
}

export type FoundValue = Found<Exclude<Value, null>>;

/** Finds the first value in `text` from a page. Converts numbers from the unit in the text or the label. */
export function readValue(spec: ValueSpec, text: string, label = ''): FoundValue | undefined {
  const found = READERS[spec.type](spec, text, label);
  return found && findProblem(spec, found.value) === undefined ? found : undefined;
}

const PARSERS: Record<ValueSpec['type'], (text: string, spec: ValueSpec) => Exclude<Value, null> | undefined> = {
  string: (text) => text,
  number: parseNumber,
  integer(text) {
    const number = parseNumber(text);
    return number !== undefined && Number.isInteger(number) ? number : undefined;
  },
  date: parseDate,
  boolean: (text) => readBoolean(text.trim()),
  enum: (text, spec) => choice(spec, text.trim()),
};

const READERS = {
  string: (spec: ValueSpec, text: string) =>
    spec.numbering ? findNumbering(text) : whole(text, text.trim() || undefined),
  number(spec: ValueSpec, text: string, label: string) {
    const first = findNumber(spec.unit === 'rub' ? regrouped(text) : text, spec.decimals);
    if (!first) return undefined;
    const after = text.slice(first.end);
    // Amounts in thousands of roubles have three decimals.
    const found = (unitFactor(spec.unit, after) ?? 1) >= 1000 ? (findNumber(text) ?? first) : first;
    const kopecks = spec.unit === 'rub' ? /^\s*руб\p{L}*\.?,?\s*(\d{2})\s*коп/u.exec(after) : null;
    const factor = unitFactor(spec.unit, after) ?? unitFactor(spec.unit, label) ?? 1;
    const value = round(found.value * factor + (kopecks ? Number(kopecks[1]) / 100 : 0));
    return { ...found, value, end: found.end + (kopecks?.[0].length ?? 0) };
  },
  integer: findInteger,
  date: (_spec: ValueSpec, text: string) => findDate(text),
  boolean: (_spec: ValueSpec, text: string) => whole(text, readBoolean(text)),
  enum: (spec: ValueSpec, text: string) => whole(text, choice(spec, text)),
};

const whole = (text: string, value: FoundValue['value'] | undefined): FoundValue | undefined =>
  value === undefined ? undefined : { value, start: 0, end: text.length };

/** The first number with its letters (`8а`, `G.1`, `12/3`), or a text of one letter or a Roman number. */
function findNumbering(text: string): FoundValue | undefined {
  // Numbering skips these letters because of their likeness to digits (GOST R 21.101).
  const plain = text.replace(/\d[\dOОоЗз]+/gu, asDigits);
  const match = /(?<![\p{L}\d])(?:\p{Lu}{1,2}[./-]?)?\d{1,4}(?:[./-]\d{1,3}){0,2}(?:[./-]?\p{L}(?![\p{L}\d]))?/u.exec(
    plain,
  );
  if (match) return { value: match[0], start: match.index, end: match.index + match[0].length };
  return whole(text, /^\s*([IVXL]{1,6}|\p{L})[.)]?\s*$/u.exec(text)?.[1]);
}

/** OCR loses spaces: `4055 503` is one amount. */
const regrouped = (text: string): string =>
  text.replace(/(?<![\d.,:/-])\d{4,6}(?: \d{3})+(?![\d.:/-])/gu, (digits) =>
    digits.replaceAll(' ', '').padEnd(digits.length, ' '),
  );

/** The first integer within the limits, in digits or in words (`на третьем этаже`). */
function findInteger(spec: ValueSpec, text: string): FoundValue | undefined {
  let from = 0;
  for (;;) {
    const found = findNumber(text.slice(from), 0);
    if (!found) break;
    const value = { value: found.value, start: from + found.start, end: from + found.end };
    if (Number.isInteger(found.value) && findProblem(spec, found.value) === undefined) return value;
    from = value.end;
  }
  for (const word of text.matchAll(/\p{L}{3,}/gu)) {
    const index = NUMBERS.findIndex((pattern) => pattern.test(word[0].toLowerCase()));
    if (index >= 0) return { value: index + 1, start: word.index, end: word.index + word[0].length };
  }
  return undefined;
}

const NUMBERS = [
  /^(один|одна|одно|перв|one$|first$|ground$)/u,
  /^(два$|две$|двух|втор|two$|second$)/u,
  /^(три$|трёх|трех|трет|three$|third$)/u,
  /^(четыр[её]|четв[её]рт|four)/u,
  /^(пять$|пяти|пят(ый|ом|ого|ая)$|five$|fifth$)/u,
  /^(шесть$|шести|шест(ой|ом|ого|ая)$|six)/u,
  /^(семь$|семи|седьм|seven)/u,
  /^(восемь$|восьми|восьм|eight)/u,
  /^(девять$|девяти|девят(ый|ом|ого|ая)$|nin[et])/u,
  /^(десять$|десяти|десят|ten)/u,
];

function readBoolean(text: string): boolean | undefined {
  const word = text.toLowerCase().replace(/(?<![.\s])[.\s]+$/u, '');
  if (/^(да|есть|имеется|имеются|true|yes|1|on|\+)$/u.test(word)) return true;
  if (/^(нет|не имеется|отсутствует|отсутствуют|false|no|0|off|-|—|–)$/u.test(word)) return false;
  return undefined;
}

function choice(spec: ValueSpec, text: string): string | undefined {
  const normalized = normalize(text);
  for (const entry of spec.enum ?? []) {
    if (typeof entry === 'string') {
      if (normalize(entry) === normalized) return entry;
    } else if (
      [entry.value, ...wordings(entry.label), ...(entry.synonyms ?? [])].some((way) => normalize(way) === normalized)
    ) {
      return entry.value;
    }
  }
  return undefined;
}

const wordings = (wording: Wording): string[] => (typeof wording === 'string' ? [wording] : [wording.en, wording.ru]);
const normalize = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll('ё', 'е')
    .replace(/[\s.,;]+/gu, ' ')
    .trim();

// Avoids sums like 0.30000000000000004.
const round = (value: number): number => Math.round(value * 1e6) / 1e6;
