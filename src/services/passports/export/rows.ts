import type { CompletedDocument } from '../documents.ts';
import type { Value } from '../extraction.ts';
import { enumLabels, type PresentedField, presentFields } from '../present.ts';
import { type ColumnSpec, type FieldSpec, inLanguage, type Schema } from '../schema/schema.ts';

export type Language = 'en' | 'ru';

export interface ExportRow extends PresentedField {
  readonly sectionTitle: string;
  /** With the row number in a table: `3. Area`. */
  readonly label: string;
  /** Unique within the document: prefixed with the section if needed. */
  readonly name: string;
  /** The value, or its label for an enum. */
  readonly displayValue: Value;
}

export function exportRows(opened: CompletedDocument, schema: Schema, language: Language): ExportRow[] {
  const labelsBySpec = labelsOf(schema, language);
  return presentFields(opened, schema).map((field) => {
    const { title: sectionTitle, label, name, choices } = labelsBySpec.get(field.spec)!;
    const { row, value } = field;
    const shown = { ...field, sectionTitle, displayValue: choices?.get(value) ?? value };
    if (row === undefined) return { ...shown, label, name };
    return { ...shown, label: `${row}. ${label}`, name: `${sectionTitle} ${row}: ${label}` };
  });
}

export function labelsOf(schema: Schema, language: Language): LabelsBySpec {
  const byLanguage = cache.get(schema) ?? {};
  cache.set(schema, byLanguage);
  byLanguage[language] ??= computeLabels(schema, language);
  return byLanguage[language];
}

type LabelsBySpec = ReturnType<typeof computeLabels>;

// Cached, because one schema serves many exports.
const cache = new WeakMap<Schema, Partial<Record<Language, LabelsBySpec>>>();

function computeLabels(schema: Schema, language: Language) {
  const labels = schema.sections.flatMap(({ fields = [] }) => fields.map(({ label }) => inLanguage(label, language)));
  const entries = schema.sections.flatMap((section) => {
    const title = inLanguage(section.title, language);
    return [...(section.fields ?? []), ...(section.table?.columns ?? [])].map((spec) => {
      const label = inLanguage(spec.label, language);
      const isAmbiguous = labels.filter((other) => other === label).length > 1;
      const name = isAmbiguous ? `${title}: ${label}` : label;
      const choices = enumLabels(spec, language);
      return [spec, { title, label, name, choices: choices && new Map<Value, string>(choices) }] as const;
    });
  });
  return new Map<FieldSpec | ColumnSpec, (typeof entries)[number][1]>(entries);
}
