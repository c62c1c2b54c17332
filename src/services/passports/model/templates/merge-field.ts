import type { Field } from '../../extraction.ts';
import { namesIn } from '../fields/composite-values.ts';
import { boundingBox, joinText } from '../fields/page-tokens.ts';
import { isPersonName, PERSON_FIELDS } from '../fields/person-name.ts';
import { type FormDocument, type FormToken, pageBoxOf } from './form-document.ts';
import { isSame, tokensInBox } from './learn-lesson.ts';
import type { LessonField } from './lesson.ts';
import type { FormMatch } from './match-form.ts';
import type { ReadField } from './read-field.ts';
import { normalizeValue } from './word-hash.ts';

export interface Reading extends ReadField {
  readonly field: LessonField;
  readonly match: FormMatch;
}

/** The confidence from which a cell of the reader is kept. */
export const SURE = 0.9;
const SURE_TEXT = 0.94;
export const CONFIDENCE_ALONE = 0.93;
const CONFIDENCE_AGREED = 0.99;
export const CONFIDENCE_DISPUTED = 0.85;
/** A value of the reader below this confidence gives way to the template: texts sooner, since they lose words. OCR lowers it for both. */
const unsure = ({ source, value }: Field): number =>
  typeof value === 'string' ? (source === 'text' ? SURE_TEXT : 0.5) : source === 'text' ? 0.86 : 0.7;
/** A value of the reader below this confidence adds no parts to one of the template. */
const MIN_PARTS = 0.25;
/** The confidence from which a longer text of the reader is kept, of which the template found the start. */
const MIN_LONGER = 0.45;

const WORD = /\p{L}{3}/u;
/** A part of an address that has the kind of a place or street without its name. */
const LONE_KIND = /(?:^|,\s)\p{Ll}+\.(?=,|$)/u;

/** The confidence from which a value of the reader is kept. */
function leastFor(own: Field, reading: Reading, document: FormDocument): number {
  const { field } = reading;
  const [text, value] = [String(own.value), String(reading.value)];
  const isText = typeof own.value === 'string';
  const isTitled = field.extended && hasWords(value, text);
  if (PERSON_FIELDS.has(field.key) && !isTitled && isPersonName(text) !== isPersonName(value)) {
    return !isPersonName(text) ? Number.POSITIVE_INFINITY : field.corrected ? MIN_LONGER : 0;
  }
  if (field.parts.length > 1 && LONE_KIND.test(value) && !LONE_KIND.test(text)) return MIN_LONGER;
  if (field.parts[0]?.by === 'option' || (isText && isTorn(text, value))) return Number.POSITIVE_INFINITY;
  // A number or an initial at the place of a text.
  if (isText && WORD.test(text) && !WORD.test(value)) return MIN_LONGER;
  if (field.parts.length > 1 && isFilled(value, text)) return 0;
  // The words of the form before a value are its label.
  const isLonger = hasWords(text, value) && !(endsWith(text, value) && startsWithForm(own, reading, document));
  if (field.leans && isLonger && !field.shortened) return 0;
  if (field.corrected && isLonger && !field.shortened) return MIN_LONGER;
  if (field.corrected) return !field.extended && hasWords(value, text) ? SURE : Number.POSITIVE_INFINITY;
  // The reader had read this form right: what stands before its value is not part of it.
  if (isText && hasWords(value, text) && endsWith(value, text) && !GOES_ON.test(wordsBefore(value, text)))
    return MIN_LONGER;
  return isLonger ? MIN_LONGER : unsure(own);
}

/**
 * Both found the same value, or one of two is chosen: the template's where a person had corrected the reader on this form,
 * unless it only adds words to a sure value of the reader, and the reader's where it had read the form right.
 */
export function mergeField(reading: Reading, own: Field | undefined, document: FormDocument): Field {
  const { value, tokens, match, field } = reading;
  const certainty = Math.min(1, 0.4 + 0.75 * match.score) * lowestConfidence(tokens);
  const rounded = (confidence: number) => Math.round(100 * confidence * certainty) / 100;
  if (own && isSame(own.value, value)) {
    // The reader normalizes texts; both found the same one. A person may have corrected its punctuation.
    const agreed = Math.max(own.confidence ?? 0, field.doubtful ? 0 : rounded(CONFIDENCE_AGREED));
    const isLonger = field.parts[0]!.by === 'cell' && String(value).startsWith(String(own.value));
    return { ...own, confidence: agreed, ...((field.corrected || isLonger) && { value }) };
  }
  const confidence = own?.confidence ?? 0;
  if (own && confidence >= leastFor(own, reading, document) && !isIntoForm(String(own.value), reading, document)) {
    return { ...own, confidence: Math.min(confidence, CONFIDENCE_DISPUTED), disagrees: true };
  }
  const hasParts = field.parts.length > 1 && confidence >= MIN_PARTS;
  const whole = hasParts && own ? withParts(String(value), String(own.value)) : value;
  const alone = field.corrected ? CONFIDENCE_ALONE : CONFIDENCE_DISPUTED;
  const read = fieldOf(whole, tokens, rounded(own ? CONFIDENCE_DISPUTED : alone), document);
  return own ? { ...read, disagrees: true } : read;
}

/**
 * Whether `text` goes on with words of the form behind the value that the template found: only with such, or in a sentence that
 * starts before the value.
 */
function isIntoForm(text: string, { value, tokens, cost, match, field }: Reading, document: FormDocument): boolean {
  const known = wordsOf(String(value));
  const rest = `${plainOf(text)} `.startsWith(`${known.join(' ')} `) ? wordsOf(text).slice(known.length) : [];
  const from = tokens.at(-1)!.id + 1;
  const next = document.tokens.slice(from, from + rest.length);
  const isForm = (token: FormToken, i: number) => match.constants.has(token) && normalizeValue(token.text) === rest[i];
  const isBetween = cost === 0 && field.inText === 'all' && field.parts[0]?.by !== 'cell';
  const count = isBetween ? Math.min(1, rest.length) : rest.length;
  return count > 0 && next.length >= count && next.slice(0, count).every(isForm);
}

const wordsBefore = (value: string, end: string): string =>
  value.split(/\s+/u).slice(0, -end.split(/\s+/u).length).join(' ');

/** Words after which a text goes on. */
const GOES_ON = /[,;—–-]$|\s(?:и|с|and|with)$/u;

/** Whether words of the form stand where the reader's value starts, before that of the template. */
function startsWithForm({ bbox, page }: Field, { tokens, match }: Reading, document: FormDocument): boolean {
  const inside = bbox && page !== null ? tokensInBox(document, { page, bbox }) : [];
  const first = Math.min(...tokens.map(({ id }) => id));
  return [...inside].some((token) => token.id < first && match.constants.has(token));
}

/** Adds the parts of `text` after or between two parts of `value`: those that the earlier document did not have. */
function withParts(value: string, text: string): string {
  const parts = value.split(', ');
  const indexOf = (part: string) => {
    const names = namesIn(part);
    return parts.findIndex((one) => names.some((name) => namesIn(one).includes(name)));
  };
  const others = text.split(', ');
  let before = -1;
  for (const [i, part] of others.entries()) {
    const at = indexOf(part);
    // In an address, the parts of both have the same order; a part in the place of another one is another reading of it.
    const after =
      others
        .slice(i + 1)
        .map(indexOf)
        .find((place) => place >= 0) ?? before + 1;
    if (at < 0 && before >= 0 && after === before + 1 && hasNewWords(part, value)) parts.splice(++before, 0, part);
    else if (at >= 0) before = at;
  }
  return parts.join(', ');
}

/** Whether `text` lacks words in the middle of `value`, or breaks off before one. */
const isTorn = (text: string, value: string): boolean =>
  isFilled(text, value) || (hasWords(value, text) && /\s(?:[сивк]|на|по|из|под|and|with|of|the|to|on)$/u.test(text));

/** Whether `text` has the words of `some` in their order, and others. */
function hasWords(text: string, some: string): boolean {
  const [all, wanted] = [wordsOf(text), wordsOf(some)];
  let at = 0;
  for (const word of all) if (word === wanted[at]) at++;
  return wanted.length > 0 && wanted.length < all.length && at === wanted.length;
}

/** Whether `text` has other words only between those of `value`: of parts that the earlier document did not have. */
const isFilled = (value: string, text: string): boolean =>
  hasWords(text, value) &&
  hasNewWords(text, value) &&
  [0, -1].every((at) => wordsOf(text).at(at) === wordsOf(value).at(at));

const hasNewWords = (text: string, known: string): boolean =>
  wordsOf(text).some((word) => !wordsOf(known).includes(word));

const plainOf = (text: string): string => wordsOf(text).join(' ');

const endsWith = (text: string, end: string): boolean => ` ${plainOf(text)}`.endsWith(` ${plainOf(end)}`);

const wordsOf = (text: string): string[] =>
  text
    .split(/\s+/u)
    .map(normalizeValue)
    .filter((word) => word !== '');

export function fieldOf(
  value: Field['value'],
  tokens: readonly FormToken[],
  confidence: number,
  document: FormDocument,
): Field {
  const { page } = tokens[0]!;
  const { reader, page: number } = document.pages[page]!;
  const area = boundingBox(tokens.filter((token) => token.page === page));
  const bbox = pageBoxOf(document, page, area);
  return { value, confidence, source: reader === 'text' ? 'text' : 'ocr', page: number, bbox, text: joinText(tokens) };
}

export const lowestConfidence = (tokens: readonly FormToken[]): number =>
  Math.min(1, ...tokens.map(({ confidence }) => confidence ?? 1));
