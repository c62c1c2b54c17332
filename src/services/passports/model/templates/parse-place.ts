import type { Field } from '../../extraction.ts';
import { MONTH_FIRST_LABEL } from '../../schema/dates.ts';
import { findNumber } from '../../schema/numbers.ts';
import type { ValueSpec } from '../../schema/schema.ts';
import { findProblem, readValue } from '../../schema/values.ts';
import { withoutCodes } from '../fields/code-columns.ts';
import { toTextValue, withoutScribbles } from '../fields/correct-text.ts';
import { joinText, tokensInRange, withCommas } from '../fields/page-tokens.ts';
import { type FormDocument, type FormToken, isRuledOff } from './form-document.ts';
import type { LessonField, LessonPart } from './lesson.ts';
import { isSignBefore } from './text-run.ts';

export interface ParsedPlace {
  readonly value: Exclude<Field['value'], null>;
  readonly tokens: readonly FormToken[];
}

/** How a form writes the numbers and dates of a field. */
type Notation = Pick<LessonField, 'factor' | 'monthFirst'>;

const UNIT_TOKENS = 3;

/** Parses the tokens at a place as a value; returns undefined for other text. */
export function parsePlace(
  tokens: readonly FormToken[],
  spec: ValueSpec,
  { part, field, document }: { part: Pick<LessonPart, 'spaced' | 'nth'>; field: Notation; document: FormDocument },
): ParsedPlace | undefined {
  if (part.spaced) return parseSpaced(tokens, spec);
  if (spec.type === 'string') {
    const { page } = tokens[0]!;
    const others = document.tokens.filter((token) => token.page === page);
    const words = 'parts' in spec || spec.numbering ? tokens : withoutCodes(tokens, others);
    const own = trim(withoutScribbles(spec, words));
    const value = toTextValue(spec, 'parts' in spec ? withCommas(own) : joinText(own), own);
    return /[\p{L}\d]/u.test(value) && findProblem(spec, value) === undefined ? { value, tokens: own } : undefined;
  }
  // The unit may be a word of the form.
  const last = tokens.at(-1)!;
  const line = document.lines[last.line]!;
  const units: FormToken[] = [];
  for (const token of spec.type === 'number' ? line.slice(line.indexOf(last) + 1).slice(0, UNIT_TOKENS) : []) {
    const previous = units.at(-1) ?? last;
    if (/\d/u.test(token.text) || token.x0 - previous.x1 > 1.2 * document.em || isRuledOff(document, previous, token))
      break;
    units.push(token);
  }
  const all = [...tokens, ...units];
  return parseNth(all, spec, part.nth, field) ?? (part.nth > 0 ? parseNth(all, spec, 0, field) : undefined);
}

/** Removes the form's signs beside a value. */
function trim(tokens: readonly FormToken[]): FormToken[] {
  const own = [...tokens];
  while (own.length > 1 && isSignBefore(own[0]!, own[1])) own.shift();
  while (own.length > 1 && /^[—–/|,;:=-]+$/u.test(own.at(-1)!.text)) own.pop();
  return own;
}

function parseNth(
  tokens: readonly FormToken[],
  spec: ValueSpec,
  nth: number,
  field: Notation,
): ParsedPlace | undefined {
  let rest = tokens;
  for (let i = 0; rest.length > 0; i++) {
    const text = joinText(rest);
    const label = field.monthFirst ? MONTH_FIRST_LABEL : '';
    const found = field.factor === 1 ? readValue(spec, text, label) : scaled(spec, text, field.factor);
    if (!found) return undefined;
    const used = tokensInRange(rest, found);
    if (i === nth) return { value: found.value, tokens: used };
    const last = used.at(-1);
    if (!last) return undefined;
    rest = rest.slice(rest.indexOf(last) + 1);
  }
  return undefined;
}

function scaled(spec: ValueSpec, text: string, factor: number) {
  const found = findNumber(text, spec.decimals);
  if (!found) return undefined;
  const value = Math.round(found.value * factor * 1e6) / 1e6;
  return findProblem(spec, value) === undefined ? { ...found, value } : undefined;
}

/** Characters in boxes of their own. */
function parseSpaced(tokens: readonly FormToken[], spec: ValueSpec): ParsedPlace | undefined {
  const all = tokens.map(({ text }) => text).join('');
  const joined = spec.type === 'string' && !/\p{Lu}\.\p{Lu}\.$/u.test(all) ? all.replace(/[.,;:]$/u, '') : all;
  const text = spec.type === 'date' ? joined.replace(/^(\d\d)\W?(\d\d)\W?(\d{4})$/u, '$1.$2.$3') : joined;
  const found = readValue(spec, text);
  return found && { value: found.value, tokens };
}

/** How many values of the type stand before `first`. */
export function countBefore(tokens: readonly FormToken[], spec: ValueSpec, first: FormToken): number {
  for (let nth = 0; nth < 6; nth++) {
    const found = parseNth(tokens, spec, nth, { factor: 1 });
    if (!found) return 0;
    if (found.tokens.includes(first)) return nth;
  }
  return 0;
}
