import type { Field } from '../../extraction.ts';
import type { ReadPage } from '../../page-geometry.ts';
import { everyField } from '../../schema/keys.ts';
import type { FieldSpec, Schema } from '../../schema/schema.ts';
import { replaceTable, tableOf } from './apply-table.ts';
import { createFormDocument, type FormDocument, type FormToken, pageBoxOf } from './form-document.ts';
import { isSame } from './learn-lesson.ts';
import type { Lesson, LessonField } from './lesson.ts';
import type { FormMatch } from './match-form.ts';
import { bestMatch, type MatchedLesson, type Template } from './match-templates.ts';
import { CONFIDENCE_DISPUTED, mergeField, type Reading } from './merge-field.ts';
import { project } from './project.ts';
import { readFieldAt } from './read-field.ts';
import type { PlaceContext } from './text-run.ts';

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

/** The confidence from which a value of the reader is kept at a place where a person removed one. */
const MIN_ELSEWHERE = 0.97;

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
    const isAgreed = (key: string, value: Field['value']) => isSame(fields[key]?.value ?? null, value);
    // Values that lean on others come after these.
    for (const isLate of lesson.fields.some(({ leans }) => leans) ? [false, true] : [false]) {
      const isFindable = ({ verified, leans, inText }: LessonField) =>
        match.inText ? inText !== undefined : verified || (isLate && leans);
      let open = lesson.fields.filter(({ key, parts }) => parts.length > 0 && !readings.has(key) && specs.has(key));
      while (open.length > 0) {
        const read = open.flatMap((field) => {
          const found = readFieldAt(field, specs.get(field.key)!, context);
          // A place that does not give what a person typed confirms no value.
          const isUsed = found && (isFindable(field) || (!field.corrected && isAgreed(field.key, found.value)));
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
  }
  return readings;
}

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
