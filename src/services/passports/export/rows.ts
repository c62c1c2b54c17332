import type { CompletedDocument } from '../documents.ts';
import type { Value } from '../extraction.ts';
import { type PresentedField, presentFields } from '../present.ts';
import { type ColumnSpec, type FieldSpec, inLanguage, type Schema } from '../schema/schema.ts';

export type Language = 'en' | 'ru';

export interface ExportRow extends PresentedField {
  readonly sectionTitle: string;
  /** With the row number in a table: `3. Area`. */
  readonly label: string;
  /** Unique within the document. */
  readonly name: string;
  /** The value, or its label for an enum. */
  readonly displayValue: Value;
}

export function exportRows(opened: CompletedDocument, schema: Schema, language: Language): ExportRow[] {
  const labelsBySpec = labelsOf(schema, language);
  return presentFields(opened, schema).map((field) => {
    const { title, label, name, choices } = labelsBySpec.get(field.spec)!;
    const displayValue = choices?.get(field.value) ?? field.value;
    if (field.row === undefined) return { ...field, sectionTitle: title, label, name, displayValue };
    const { row } = field;
    return {
      ...field,
      sectionTitle: title,
      label: `${row}. ${label}`,
      name: `${title} ${row}: ${label}`,
      displayValue,
    };
  });
}

export function labelsOf(schema: Schema, language: Language): ReadonlyMap<FieldSpec | ColumnSpec, FieldLabels> {
  const byLanguage = cache.get(schema) ?? {};
  cache.set(schema, byLanguage);
  byLanguage[language] ??= computeLabels(schema, language);
  return byLanguage[language];
}

export interface FieldLabels {
  readonly title: string;
  readonly label: string;
  /** Prefixed with the section if it is not unique. */
  readonly name: string;
  readonly choices?: ReadonlyMap<Value, string>;
}

// Cached, because one schema serves many exports.
const cache = new WeakMap<Schema, Partial<Record<Language, ReadonlyMap<FieldSpec | ColumnSpec, FieldLabels>>>>();

function computeLabels(schema: Schema, language: Language): ReadonlyMap<FieldSpec | ColumnSpec, FieldLabels> {
  const labelsBySpec = new Map<FieldSpec | ColumnSpec, FieldLabels>();
  const labels = schema.sections.flatMap(({ fields = [] }) => fields.map(({ label }) => inLanguage(label, language)));
  for (const { title: wording, fields = [], table } of schema.sections) {
    const title = inLanguage(wording, language);
    for (const spec of [...fields, ...(table?.columns ?? [])]) {
      const label = inLanguage(spec.label, language);
      const isAmbiguous = labels.filter((other) => other === label).length > 1;
      const choices = choicesOf(spec, language);
      labelsBySpec.set(spec, {
        title,
        label,
        name: isAmbiguous ? `${title}: ${label}` : label,
        ...(choices && { choices }),
      });
    }
  }
  return labelsBySpec;
}

function choicesOf(spec: FieldSpec | ColumnSpec, language: Language): ReadonlyMap<Value, string> | undefined {
  return (
    spec.enum &&
    new Map(
      spec.enum.map((choice) =>
        typeof choice === 'string' ? [choice, choice] : [choice.value, inLanguage(choice.label, language)],
      ),
    )
  );
}
