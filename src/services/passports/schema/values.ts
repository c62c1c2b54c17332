import type { Value } from '../extraction.ts';
import { findAmount } from './amounts.ts';
import { findDate, parseDate } from './dates.ts';
import { findInteger } from './integers.ts';
import { asDigits, type Found, parseNumber } from './numbers.ts';
import { schemaPattern } from './pattern.ts';
import type { ValueSpec, Wording } from './schema.ts';

export type ValueProblem = 'type' | 'enum' | 'pattern' | 'minimum' | 'maximum' | 'too_long';
export type ParseResult =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problem: ValueProblem };

const MAX_CHARACTERS = 10_000;
/** Limit for dates and numbers; the longest date in words has 70 characters. */
const MAX_CHARACTERS_PARSED = 100;

/** Whether a column numbers the rows of its table. */
export const isNumbering = ({ type, numbering }: ValueSpec): boolean => type === 'integer' || numbering === true;

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
  number: findAmount,
  integer: findInteger,
  date: (_spec: ValueSpec, text: string, label: string) => findDate(text, undefined, label),
  boolean: (_spec: ValueSpec, text: string) => whole(text, readBoolean(text)),
  enum: (spec: ValueSpec, text: string) => whole(text, choice(spec, text)),
};

const whole = (text: string, value: FoundValue['value'] | undefined): FoundValue | undefined =>
  value === undefined ? undefined : { value, start: 0, end: text.length };

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

/** The first number with its letters (`8а`, `G.1`, `12/3`), or a text of one letter or a Roman number. */
function findNumbering(text: string): Found<string> | undefined {
  // Numbering skips these letters because of their likeness to digits (GOST R 21.101).
  const plain = text.replace(/\d[\dOОоЗз]+/gu, asDigits);
  const match = /(?<![\p{L}\d])(?:\p{Lu}{1,2}[./-]?)?\d{1,4}(?:[./-]\d{1,3}){0,2}(?:[./-]?\p{L}(?![\p{L}\d]))?/u.exec(
    plain,
  );
  if (match) return { value: match[0], start: match.index, end: match.index + match[0].length };
  const letters = /^\s*([IVXL]{1,6}|\p{L})[.)]?\s*$/u.exec(text)?.[1];
  return letters === undefined ? undefined : { value: letters, start: 0, end: text.length };
}
