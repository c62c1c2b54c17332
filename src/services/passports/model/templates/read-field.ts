import type { Field } from '../../extraction.ts';
import { schemaPattern } from '../../schema/pattern.ts';
import type { FieldSpec } from '../../schema/schema.ts';
import { findProblem, readValue } from '../../schema/values.ts';
import { OWNER, readCoOwners } from '../fields/co-owners.ts';
import { withoutStrayDots, withRegionKind } from '../fields/correct-address.ts';
import { toTextValue } from '../fields/correct-text.ts';
import { isOption, markedOptions } from '../fields/marked-options.ts';
import { middleY } from '../fields/page-tokens.ts';
import type { FormToken } from './form-document.ts';
import type { Lesson, LessonField, LessonNeighbour, LessonPart } from './lesson.ts';
import { parsePlace } from './parse-place.ts';
import { readPlace, separate } from './read-place.ts';
import type { ReadPlace } from './read-projected.ts';
import { isValue, type PlaceContext } from './text-run.ts';

export interface ReadField {
  readonly value: Exclude<Field['value'], null>;
  readonly tokens: readonly FormToken[];
  readonly cost: number;
}

/** Reads a field at the places of a lesson; undefined if they have no such value. */
export function readFieldAt(field: LessonField, spec: FieldSpec, context: PlaceContext): ReadField | undefined {
  const { document } = context;
  const { parts, literals } = field;
  const readPart = (part: LessonPart, taken: ReadonlySet<FormToken>) => {
    const own = { ...context, taken };
    const isBetween = context.match.inText || (field.inText === 'all' && isInSentence(part, context.lesson));
    const between = isBetween ? readBetween(part, field.inText, own) : undefined;
    const place = context.match.inText ? between : (between ?? readPlace(part, spec, own));
    // In running text, a projected place is unreliable.
    if (!place || (isBetween && !between && place.cost > MAX_COST_IN_TEXT)) return undefined;
    const form = isOption(spec) ? document.marked[place.tokens[0]!.page] : undefined;
    const marked = form && markedOptions(place.tokens, form);
    const parsed = parsePlace(marked ?? place.tokens, spec, { part, field, document });
    return parsed && { ...parsed, cost: place.cost };
  };
  const alone = parts.length === 1 ? [] : parts.map((part) => readPart(part, context.taken)?.tokens ?? []);
  const taken = new Set(context.taken);
  const read = parts.map((part, i) => {
    // A cell has bounds, the lines below a blank may belong to a later part.
    const others = part.by === 'cell' ? [] : alone.slice(i + 1).filter((other) => areLinesOf(other, alone[i]!));
    const one = readPart(part, new Set([...taken, ...others.flat()]));
    for (const token of one?.tokens ?? []) taken.add(token);
    return one;
  });
  const found = read.filter((one) => one !== undefined);
  if (found.length === 0 || !read[0]) return undefined;
  // A number in several cells has all its parts, an address may lack some.
  const isNumber = parts.length > 1 && literals.slice(1, -1).every((literal) => !/[\p{L}\s,]/u.test(literal));
  if (isNumber && found.length < parts.length) return undefined;
  const cost = Math.max(...found.map((one) => one.cost));
  const tokens = found.flatMap((one) => [...one.tokens]);
  if (parts.length === 1) {
    const one = { value: found[0]!.value, tokens, cost };
    if (field.key !== OWNER) return one;
    const page = { ...document, tokens: document.tokens.filter((token) => isValue(context, token)) };
    const read = (words: readonly FormToken[]) => parsePlace(words, spec, { part: parts[0]!, field, document });
    return { ...one, ...readCoOwners(tokens, page, read) };
  }
  let text = '';
  for (const [i, one] of read.entries()) {
    if (!one) {
      // The signs that close the part before a missing one.
      const [closing = ''] = read[i - 1] ? (/^[»”)]+/u.exec(literals[i] ?? '') ?? []) : [];
      text += text.endsWith(closing) ? '' : closing;
      continue;
    }
    const value = String(one.value).replace(/(?<![\s,;])[\s,;]+$/u, '');
    const before = literals[i] ?? '';
    // What follows a missing part ends at a comma.
    const whole = i === 0 || read[i - 1] || !before.includes(',') ? before : before.slice(before.indexOf(','));
    // The end of an abbreviation that this document does not have, or has already.
    const literal = i > 0 && read[i - 1] && /(?:\p{L}{3}|\.)$/u.test(text) ? whole.replace(/^\./u, '') : whole;
    text += withoutRepeatedSigns(text, withoutDesignation(spec, withoutKind(literal, text), value), value) + value;
  }
  text += withoutKind(withoutRepeatedSigns(text, literals.at(-1) ?? '', ''), text);
  if (isNumber) text = toTextValue(spec, text, tokens);
  if (spec.parts) text = withRegionKind(withoutStrayDots(text));
  if (spec.type === 'string') return findProblem(spec, text) === undefined ? { value: text, tokens, cost } : undefined;
  const value = readValue(spec, text);
  return value && { value: value.value, tokens, cost };
}

/** A literal without the kind of a place or street after a name that has one: `просп. Мира` and ` ул.`, `Республика Коми` and ` обл.` */
function withoutKind(literal: string, text: string): string {
  if (/\s\p{Ll}+$/u.test(text)) return literal.replace(/^\s\p{Ll}+/u, '');
  return OWN_KIND.test(text) ? literal.replace(KIND_BEHIND, '') : literal;
}

const OWN_KIND = /(?:^|,\s)(?:\p{Ll}+\.?\s+\p{Lu}|Республика\s)[^,]*$/u;
const KIND_BEHIND = /^\s(?:ул|пер|пр|обл|область|край|р-н|район)\.?(?=,|$)/u;

/** A word of the page has the quotation marks and brackets around it; the literals have those of the typed value. */
function withoutRepeatedSigns(text: string, literal: string, value: string): string {
  const own = CLOSING.test(text) && text.at(-1) === literal[0] ? literal.slice(1) : literal;
  return OPENING.test(value) && value[0] === own.at(-1) ? own.slice(0, -1) : own;
}

const CLOSING = /[»”)]$/u;
const OPENING = /^[«“(]/u;

/** Whether `some` are whole lines of `all`, but not all lines. */
function areLinesOf(some: readonly FormToken[], all: readonly FormToken[]): boolean {
  const lines = new Set(some.map(({ line }) => line));
  const same = all.filter(({ line }) => lines.has(line));
  return same.length < all.length && same.length === some.length && same.every((token) => some.includes(token));
}

/** Without `ул.` before a value that is another kind of street, by the parts of the schema, or names its own kind. */
function withoutDesignation({ parts = [] }: FieldSpec, literal: string, value: string): string {
  if (/^\p{Ll}+\.?\s+\p{Lu}/u.test(value)) return literal.replace(/(?<=\s)\p{Ll}+\.? $/u, '');
  const [own] = parts.flatMap(({ write, unless }) => {
    const before = write.slice(0, write.indexOf('{}'));
    const isOther = unless !== undefined && before !== '' && literal.endsWith(before);
    return isOther && schemaPattern(unless, 'iu').test(value) ? [before] : [];
  });
  return own === undefined ? literal : literal.slice(0, -own.length);
}

const MAX_COST_IN_TEXT = 3;

/** Words of the form beside a value that the document may lack. */
const MAX_SKIPPED = 2;

const MAX_TOKENS = 60;

/** Reads the tokens between the words of the form before and after a value, in the order of the text. */
function readBetween(part: LessonPart, extent: LessonField['inText'], context: PlaceContext): ReadPlace | undefined {
  const { lesson, match, document } = context;
  const after = wordAfter(part, lesson);
  const start = nearest(match.tokens, after - 1, -1);
  const end = nearest(match.tokens, after, 1);
  if (!start || !end || start.token.page !== end.token.page) return undefined;
  const skipped = start.skipped + end.skipped;
  const between = document.tokens.slice(start.token.id + 1, end.token.id);
  // Words instead of the usual ones before the value.
  const label = start.skipped > 0 ? between.findLastIndex(({ text }) => text.endsWith(':')) : -1;
  const free = between.slice(label + 1).filter((token) => isValue(context, token));
  // A sentence that follows may be one that the earlier document did not have.
  const tokens = extent === 'all' && part.after.end !== '.' ? free : separate(free, part);
  const isUsable = tokens.length > 0 && tokens.length <= MAX_TOKENS && skipped <= MAX_SKIPPED;
  return isUsable ? { tokens, cost: skipped } : undefined;
}

/** The index of the first word of the form after a place, in reading order. */
function wordAfter(part: LessonPart, { words, em }: Lesson): number {
  const y = part.lines > 1 ? part.y0 + 0.5 * em : middleY(part);
  const last = words.findLastIndex((word) => {
    const below = middleY(word) - y;
    return below < -0.6 * em || (below < 0.6 * em && word.x0 < part.x0);
  });
  return last + 1;
}

function nearest(tokens: ReadonlyMap<number, FormToken>, from: number, step: 1 | -1) {
  for (let skipped = 0; skipped <= MAX_SKIPPED; skipped++) {
    const token = tokens.get(from + step * skipped);
    if (token) return { token, skipped };
  }
  return undefined;
}

const SPACE = 1.5;
const LINE_STEP = 2.6;

/** Words of the form stand directly before and after the value, or at the end and start of the lines around it. */
function isInSentence(part: LessonPart, lesson: Lesson): boolean {
  const { words, em } = lesson;
  const after = wordAfter(part, lesson);
  const [left, right] = [words[after - 1], words[after]];
  if (!left || !right || part.by === 'option' || part.by === 'cell') return false;
  const isBeside = ({ direct, gap }: LessonNeighbour) => direct && gap < SPACE * em;
  const margin = Math.min(...words.map(({ x0 }) => x0)) + 3 * em;
  const edge = 0.8 * Math.max(...words.map(({ x1 }) => x1));
  const isNear = (y: number) => y > 0 && y < LINE_STEP * em;
  const startsLine = part.x0 < margin && left.x1 > edge && isNear(part.y0 - left.y0);
  const endsLine = part.x1 > edge && right.x0 < margin && isNear(right.y1 - part.y1);
  return (isBeside(part.before) || startsLine) && (isBeside(part.after) || endsLine);
}
