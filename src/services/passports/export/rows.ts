import type { Opened } from '../documents.ts';
import type { Value } from '../extraction.ts';
import { type PresentedField, presentFields } from '../present.ts';
import { type ColumnSpec, type FieldSpec, inLanguage, type Schema } from '../schema/schema.ts';

export type Language = 'en' | 'ru';

/** A field as an export shows it: in the words of its reader's language. */
export interface ExportRow extends PresentedField {
  readonly sectionTitle: string;
  /** With its row, where it is a cell of a table: `3. Area`. */
  readonly label: string;
  /** Tells the field from all others of the document, whichever section it is in. */
  readonly name: string;
  /** Its value, of a choice the label. */
  readonly shown: Value;
}

/** Every field of the document, in the schema's order, as its reader last left it. */
export function exportRows(opened: Opened, schema: Schema, language: Language): ExportRow[] {
  const words = wordsOf(schema, language);
  return presentFields(opened, schema).map((field) => {
    const { title, label, name, choices } = words.get(field.spec)!;
    const shown = choices?.get(field.value) ?? field.value;
    if (field.row === undefined) return { ...field, sectionTitle: title, label, name, shown };
    const { row } = field;
    return { ...field, sectionTitle: title, label: `${row}. ${label}`, name: `${title} ${row}: ${label}`, shown };
  });
}

/** What the fields and columns of a schema are called in a language. */
export function wordsOf(schema: Schema, language: Language): ReadonlyMap<FieldSpec | ColumnSpec, Words> {
  const known = wordings.get(schema) ?? {};
  wordings.set(schema, known);
  known[language] ??= workedOut(schema, language);
  return known[language];
}

export interface Words {
  readonly title: string;
  readonly label: string;
  /** The label alone where no other field has it, else with its section. */
  readonly name: string;
  /** Of a choice: the label of each value. */
  readonly choices?: ReadonlyMap<Value, string>;
}

// A schema is loaded once, and a thousand documents are exported by it.
const wordings = new WeakMap<Schema, Partial<Record<Language, ReadonlyMap<FieldSpec | ColumnSpec, Words>>>>();

function workedOut(schema: Schema, language: Language): ReadonlyMap<FieldSpec | ColumnSpec, Words> {
  const words = new Map<FieldSpec | ColumnSpec, Words>();
  const labels = schema.sections.flatMap(({ fields = [] }) => fields.map(({ label }) => inLanguage(label, language)));
  for (const { title: wording, fields = [], table } of schema.sections) {
    const title = inLanguage(wording, language);
    for (const spec of [...fields, ...(table?.columns ?? [])]) {
      const label = inLanguage(spec.label, language);
      const alike = labels.filter((other) => other === label).length > 1;
      const choices = choicesOf(spec, language);
      words.set(spec, { title, label, name: alike ? `${title}: ${label}` : label, ...(choices && { choices }) });
    }
  }
  return words;
}

function choicesOf(spec: FieldSpec | ColumnSpec, language: Language): ReadonlyMap<Value, string> | undefined {
  return (
    spec.enum &&
    new Map(
      spec.enum.map((one) => (typeof one === 'string' ? [one, one] : [one.value, inLanguage(one.label, language)])),
    )
  );
}
