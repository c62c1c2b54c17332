import { createOnce } from '../../../../base/create-once.ts';
import { applyCrossChecks } from '../../cross-checks.ts';
import type { Field, Warning } from '../../extraction.ts';
import type { ReadPage } from '../../page-geometry.ts';
import { isMonthFirst, readMonthFirst } from '../../schema/dates.ts';
import { cellKey, everyField } from '../../schema/keys.ts';
import type { Schema } from '../../schema/schema.ts';
import { createField, lowerByOcr } from '../fields/create-field.ts';
import { extractByLabels } from '../fields/extract.ts';
import { joinText } from '../fields/page-tokens.ts';
import { agreeTotals, agreeUncorrected } from './agree-totals.ts';
import { confidenceOf, evidenceOf } from './confidence.ts';
import { isKnown, isKnownTable, readWithNetwork } from './extract-with-network.ts';
import type { PartOutput } from './page-reading.ts';

export interface CheckedFields {
  readonly fields: Record<string, Field>;
  readonly warnings: Warning[];
}

export interface ExtractedFields extends CheckedFields {
  /** The fields before {@link checkFields}. */
  readonly unchecked: Record<string, Field>;
}

/**
 * Extracts the fields of `schema`: trained ones from the network's `outputs`, others by their labels. `refine` may
 * change them before the cross-checks.
 */
export function extractFields(
  pages: readonly ReadPage[],
  schema: Schema,
  outputs: readonly (readonly PartOutput[])[],
  refine: (fields: Record<string, Field>) => Record<string, Field> = (fields) => fields,
): ExtractedFields {
  const byLabels = extractByLabels(pages, withoutKnownTables(schema));
  const { values, tables } = readWithNetwork(pages, schema, outputs, byLabels);
  const fields: Record<string, Field> = {};
  for (const { key, spec } of everyField(schema)) {
    const read = values.get(key);
    const labelled = byLabels[key];
    if (read && !(labelled && isShared(joinText(read.tokens), labelled, byLabels))) {
      fields[key] = createField(read.tokens, read.value, confidenceOf(evidenceOf(read, labelled, spec)));
    } else if (labelled)
      fields[key] = isKnown(key) ? { ...labelled, confidence: 0.5 * (labelled.confidence ?? 0) } : labelled;
  }
  for (const section of schema.sections) {
    for (const [i, row] of (tables.get(section.key) ?? []).entries()) {
      for (const cell of row)
        fields[cellKey(section, i + 1, cell.spec)] = createField(
          cell.tokens,
          cell.value,
          lowerByOcr(cell.score, cell.tokens),
        );
    }
  }
  for (const [key, field] of Object.entries(byLabels)) fields[key] ??= field;
  const agreed = agreeTotals(fields, pages, schema);
  const unchecked = agreeUncorrected(agreed, refine(agreed), pages, schema);
  return { unchecked, ...checkFields(unchecked, pages, schema) };
}

/** Compares the fields with each other, and dates with the other dates of the document. */
export const checkFields = (fields: Record<string, Field>, pages: readonly ReadPage[], schema: Schema): CheckedFields =>
  applyCrossChecks(inOrder(fields, pages, schema), schema);

/** Whether a text is that of a field and of another one with a label in common: `Материал стен; перекрытий`. */
function isShared(text: string, { text: own }: Field, byLabels: Readonly<Record<string, Field>>): boolean {
  const whole = withoutSpaces(text);
  const part = withoutSpaces(own);
  if (part === '' || whole.length < part.length + 2 || !whole.includes(part)) return false;
  const others = Object.values(byLabels).map((other) => withoutSpaces(other.text));
  return others.some((other) =>
    [';', '/'].some((separator) => [part + separator + other, other + separator + part].includes(whole)),
  );
}

const withoutSpaces = (text: string | null | undefined): string => (text ?? '').replace(/\s+/gu, '');

/** Reads dates with the month first where the other dates of the document have it first. */
function inOrder(fields: Record<string, Field>, pages: readonly ReadPage[], schema: Schema): Record<string, Field> {
  if (!isMonthFirst(pages.flatMap(({ words }) => words.map(({ text }) => text)))) return fields;
  const dates = [...everyField(schema)].flatMap(({ key, spec }) => {
    const field = spec.type === 'date' ? fields[key] : undefined;
    const value = field?.text && readMonthFirst(field.text);
    return field && value ? [[key, { ...field, value }] as const] : [];
  });
  return { ...fields, ...Object.fromEntries(dates) };
}

/** The same object for each document: the label index belongs to it. */
const withoutKnownTables = createOnce(
  (schema: Schema): Schema => ({
    ...schema,
    sections: schema.sections.map(({ table, ...section }) =>
      table && !isKnownTable(section.key, table) ? { ...section, table } : section,
    ),
  }),
);
