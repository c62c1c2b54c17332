import type { Field } from '../../extraction.ts';
import type { ReadPage } from '../../page-geometry.ts';
import { cellKey, everyField } from '../../schema/keys.ts';
import type { FieldSpec, Schema, Section, ValueSpec } from '../../schema/schema.ts';
import { namesIn } from '../fields/composite-values.ts';
import { boundingBox, joinText } from '../fields/page-tokens.ts';
import { createFormDocument, type FormDocument, type FormToken, pageBoxOf } from './form-document.ts';
import { isSame, tokensInBox } from './learn-lesson.ts';
import type { Lesson, LessonField, LessonTable } from './lesson.ts';
import type { FormMatch } from './match-form.ts';
import { bestMatch, type MatchedLesson, type Template } from './match-templates.ts';
import { project } from './project.ts';
import { type ReadField, readFieldAt } from './read-field.ts';
import { MAX_ROWS, type ReadRow, readTable } from './read-table.ts';
import type { PlaceContext } from './text-run.ts';
import { normalizeValue } from './word-hash.ts';

export interface AppliedTemplate {
  readonly fields: Record<string, Field>;
  readonly template: { readonly id: string; readonly score: number } | undefined;
}

type Fields = Readonly<Record<string, Field>>;

/** Reads a document with the template that matches it best; without a match the fields stay as they are. */
export function applyTemplates(
  pages: readonly ReadPage[],
  fields: Fields,
  templates: readonly Template[],
  schema: Schema,
): AppliedTemplate {
  if (templates.length === 0) return { fields: { ...fields }, template: undefined };
  const document = createFormDocument(pages);
  const best = bestMatch(document, templates);
  if (!best) return { fields: { ...fields }, template: undefined };
  const template = { id: best.template.id, score: Math.round(100 * best.lessons[0]!.match.score) / 100 };
  return { fields: combine(document, fields, best.lessons, schema), template };
}

function combine(
  document: FormDocument,
  fields: Fields,
  lessons: readonly MatchedLesson[],
  schema: Schema,
): Record<string, Field> {
  const combined: Record<string, Field> = { ...fields };
  const specs = new Map([...everyField(schema)].map(({ key, spec }) => [key, spec]));
  const taken = new Set<FormToken>();
  for (const section of schema.sections) {
    const found = section.table && tableOf(section, lessons, document, fields);
    if (!found) continue;
    replaceTable(combined, section, found, document);
    for (const row of found.rows) for (const { tokens } of row) for (const token of tokens) taken.add(token);
  }
  const readings = readFields(document, fields, lessons, specs, taken);
  for (const [key, reading] of readings) {
    const own = Object.hasOwn(fields, key) ? fields[key] : undefined;
    combined[key] = mergeField(reading, own, document);
  }
  for (const { lesson, match } of lessons) {
    if (match.inText) continue;
    for (const field of lesson.fields) {
      const own = combined[field.key];
      if (!own || readings.has(field.key) || !isAtWrongPlace(own, field, lesson, match, document)) continue;
      // Where the earlier document had no value, this one may have one.
      if (field.cleared && (own.confidence ?? 0) < MIN_ELSEWHERE) delete combined[field.key];
      else combined[field.key] = { ...own, confidence: CONFIDENCE_DISPUTED, disagrees: true };
    }
  }
  return combined;
}

interface Reading extends ReadField {
  readonly field: LessonField;
  readonly match: FormMatch;
}

/** Values that the reader found too, then certain places; a token belongs to one value. */
function readFields(
  document: FormDocument,
  fields: Fields,
  lessons: readonly MatchedLesson[],
  specs: ReadonlyMap<string, FieldSpec>,
  taken: Set<FormToken>,
): Map<string, Reading> {
  const readings = new Map<string, Reading>();
  for (const { lesson, match } of lessons) {
    const context: PlaceContext = { lesson, match, document, taken };
    const isFindable = ({ verified, inText }: LessonField) => (match.inText ? inText !== undefined : verified);
    const isAgreed = (key: string, value: Field['value']) => isSame(fields[key]?.value ?? null, value);
    let open = lesson.fields.filter(({ key, parts }) => parts.length > 0 && !readings.has(key) && specs.has(key));
    while (open.length > 0) {
      const read = open.flatMap((field) => {
        const found = readFieldAt(field, specs.get(field.key)!, context);
        const isUsed = found && (isFindable(field) || isAgreed(field.key, found.value));
        return isUsed ? [{ ...found, field, match }] : [];
      });
      const next = read.sort((a, b) => a.cost - b.cost)[0];
      if (!next) break;
      const agreed = read.filter(({ field, value }) => isAgreed(field.key, value));
      // All places of the same certainty in one pass, unless they share tokens.
      for (const one of agreed.length > 0 ? agreed : read.filter(({ cost }) => cost <= Math.max(2, next.cost))) {
        if (one.tokens.some((token) => taken.has(token))) continue;
        readings.set(one.field.key, one);
        for (const token of one.tokens) taken.add(token);
      }
      const before = open.length;
      open = open.filter(({ key }) => !readings.has(key));
      if (open.length === before) break;
    }
  }
  return readings;
}

/** The confidence from which a cell of the reader is kept. */
const SURE = 0.9;
const SURE_TEXT = 0.94;
/** The same for a value at a place where a person removed one. */
const MIN_ELSEWHERE = 0.97;
const CONFIDENCE_ALONE = 0.93;
const CONFIDENCE_AGREED = 0.99;
const CONFIDENCE_DISPUTED = 0.85;
/** A value of the reader below this confidence gives way to the template: texts sooner, since they lose words. OCR lowers it for both. */
const unsure = ({ source, value }: Field): number =>
  typeof value === 'string' ? (source === 'text' ? SURE_TEXT : 0.5) : source === 'text' ? 0.86 : 0.7;
/** The same for a value that has other parts, as of an address. */
const MIN_PARTS = 0.25;
/** The same for a longer text, of which the template found the start. */
const MIN_LONGER = 0.45;

/** The confidence from which a value of the reader is kept. */
function leastFor(own: Field, reading: Reading, document: FormDocument): number {
  const { field } = reading;
  const [text, value] = [String(own.value), String(reading.value)];
  const isText = typeof own.value === 'string';
  if (field.parts[0]?.by === 'option' || (isText && isTorn(text, value))) return Number.POSITIVE_INFINITY;
  if (field.parts.length > 1 && isFilled(value, text)) return 0;
  // The words of the form before a value are its label.
  const isLonger = hasWords(text, value) && !(endsWith(text, value) && startsWithForm(own, reading, document));
  if (field.corrected && isLonger && !field.shortened) return MIN_LONGER;
  if (field.corrected) return !field.extended && hasWords(value, text) ? SURE : Number.POSITIVE_INFINITY;
  // The reader had read this form right: what stands before its value is not part of it.
  if (isText && hasWords(value, text) && endsWith(value, text) && !GOES_ON.test(wordsBefore(value, text)))
    return MIN_LONGER;
  // A number at the place of a text.
  if (isText && /\p{L}{3}/u.test(text) && !/\p{L}/u.test(value)) return MIN_LONGER;
  if (isPartOf(text, value, field)) return SURE_TEXT;
  return isLonger ? MIN_LONGER : unsure(own);
}

/**
 * Both found the same value, or one of two is chosen: the template's where a person had corrected the reader on this form,
 * unless it only adds words to a sure value of the reader, and the reader's where it had read the form right.
 */
function mergeField(reading: Reading, own: Field | undefined, document: FormDocument): Field {
  const { value, tokens, match, field } = reading;
  const certainty = Math.min(1, 0.4 + 0.75 * match.score) * lowestConfidence(tokens);
  const rounded = (confidence: number) => Math.round(100 * confidence * certainty) / 100;
  if (own && isSame(own.value, value)) {
    // The reader normalises texts; both found the same one. A person may have corrected its punctuation.
    const agreed = Math.max(own.confidence ?? 0, rounded(CONFIDENCE_AGREED));
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

/** Whether `text` goes on with the words of a sentence of the form, behind the value that the template found between them. */
function isIntoForm(text: string, { value, tokens, cost, match, field }: Reading, document: FormDocument): boolean {
  const known = wordsOf(String(value));
  const next = document.tokens[tokens.at(-1)!.id + 1];
  const isBetween = cost === 0 && field.inText === 'all' && field.parts[0]?.by !== 'cell';
  const rest = `${plainOf(text)} `.startsWith(`${known.join(' ')} `) ? wordsOf(text).slice(known.length) : [];
  return isBetween && next !== undefined && match.constants.has(next) && normalizeValue(next.text) === rest[0];
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

/**
 * The place of the template is certain, and the reader found some of its words: a text up to its punctuation or to the end of its
 * place, or words without those between them.
 */
function isPartOf(found: string, value: string, { parts }: LessonField): boolean {
  const [part] = parts;
  if (parts.length > 1 || !hasWords(value, found) || endsWith(value, found)) return false;
  const isStart = `${plainOf(value)} `.startsWith(`${plainOf(found)} `);
  return !isStart || part?.by === 'cell' || part?.by === 'place' || part?.after.end !== undefined;
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

function fieldOf(
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

const lowestConfidence = (tokens: readonly FormToken[]): number =>
  Math.min(1, ...tokens.map(({ confidence }) => confidence ?? 1));

/** A value where a person corrected the reader before. */
function isAtWrongPlace(
  own: Field,
  field: LessonField,
  lesson: Lesson,
  match: FormMatch,
  document: FormDocument,
): boolean {
  const place = field.wrong && project(lesson, match, field.wrong);
  if (!place || !own.bbox || document.pages[place.page]?.page !== own.page) return false;
  const [x0, y0, x1, y1] = pageBoxOf(document, place.page, place.area);
  const [a0, b0, a1, b1] = own.bbox;
  const margin = 0.01;
  return Math.min(x1, a1) > Math.max(x0, a0) - margin && Math.min(y1, b1) > Math.max(y0, b0) - 0.2 * margin;
}

interface FoundTable {
  readonly rows: readonly ReadRow[];
  readonly score: number;
  readonly isRemoved: boolean;
  readonly corrected: boolean;
}

const MIN_VERIFIED = 0.85;

/** The rows of the table; undefined to keep those of the reader. */
function tableOf(
  section: Section,
  lessons: readonly MatchedLesson[],
  document: FormDocument,
  fields: Fields,
): FoundTable | undefined {
  for (const { lesson, match } of lessons) {
    const table = lesson.tables.find((one) => one.section === section.key);
    if (!table || match.inText) continue;
    const { score } = match;
    if (table.groups.length === 0) {
      return table.corrected && table.readShare === 0
        ? { rows: [], score, isRemoved: true, corrected: true }
        : undefined;
    }
    if (table.verifiedShare < MIN_VERIFIED || table.verifiedShare < table.readShare - 0.02) continue;
    const rows = readTable(table, section, { lesson, match, document, taken: new Set() });
    if (rows.length > 0 && !isWorse(rows, table, section, fields))
      return { rows, score, isRemoved: false, corrected: table.corrected };
  }
  return undefined;
}

/** The table of the reader is more whole; of two equal ones, the reader's if it had read most of the earlier one. */
function isWorse(rows: readonly ReadRow[], { readShare }: LessonTable, section: Section, fields: Fields): boolean {
  const own = Array.from({ length: MAX_ROWS }, (_, i) =>
    section.table!.columns.flatMap((spec) => {
      const field = fields[cellKey(section, i + 1, spec)];
      return field ? [{ spec, value: field.value }] : [];
    }),
  );
  const difference = wholeCells(own.filter((row) => row.length > 0)) - wholeCells(rows);
  return readShare >= 0.5 ? difference >= 0 : difference > 0;
}

/** The cells of rows whose number follows that of the row before, or starts a floor; of all rows if there are no numbers. */
function wholeCells(
  rows: readonly (readonly { readonly spec: ValueSpec; readonly value: Field['value'] }[])[],
): number {
  const numbers = rows.map((row) => String(row.find(({ spec }) => spec.numbering)?.value ?? ''));
  const isWhole = (i: number) => {
    const [number, before] = [Number.parseInt(numbers[i]!, 10), Number.parseInt(numbers[i - 1] ?? '0', 10)];
    return number === 1 || number === before + 1 || (number === before && numbers[i] !== numbers[i - 1]);
  };
  const counted = numbers.some(Boolean) ? rows.filter((_, i) => isWhole(i)) : rows;
  return counted.reduce((sum, row) => sum + row.length, 0);
}

function replaceTable(
  combined: Record<string, Field>,
  section: Section,
  { rows, score, corrected }: FoundTable,
  document: FormDocument,
): void {
  const own = new Map<string, Field>();
  for (const key of Object.keys(combined)) {
    if (!key.startsWith(`${section.key}:`) || !/:\d+\./u.test(key)) continue;
    own.set(key, combined[key]!);
    delete combined[key];
  }
  const certainty = Math.min(1, 0.4 + 0.75 * score);
  // With other rows, the reader's cell may be of another room.
  const isSameTable = new Set([...own.keys()].map((key) => key.split('.')[0])).size === rows.length;
  for (const [i, row] of rows.entries()) {
    for (const { spec, value, tokens } of row) {
      const key = cellKey(section, i + 1, spec);
      const before = own.get(key);
      const disagrees = before && isSameTable ? { disagrees: true as const } : {};
      if (before && isSame(before.value, value)) combined[key] = before;
      else if (before && isSameTable && (before.confidence ?? 0) >= SURE) combined[key] = { ...before, ...disagrees };
      else {
        const confidence = before || !corrected ? CONFIDENCE_DISPUTED : CONFIDENCE_ALONE;
        const share = confidence * certainty * lowestConfidence(tokens);
        combined[key] = { ...fieldOf(value, tokens, Math.round(100 * share) / 100, document), ...disagrees };
      }
    }
  }
}
