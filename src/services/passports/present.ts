import type { CompletedDocument } from './documents.ts';
import type { Field, Source, Value } from './extraction.ts';
import type { Box } from './page-geometry.ts';
import { cellKey, everyField, resolveKey } from './schema/keys.ts';
import type { ColumnSpec, FieldSpec, Schema, Section } from './schema/schema.ts';

export interface PresentedField {
  readonly key: string;
  /** Counts emptied rows too, unlike {@link key}. */
  readonly storedKey: string;
  readonly section: Section;
  readonly spec: FieldSpec | ColumnSpec;
  /** From 1, for table cells. */
  readonly row: number | undefined;
  readonly value: Value;
  /** Before edits. */
  readonly original: Value;
  /** Null if unknown, and for edited values. */
  readonly confidence: number | null;
  readonly source: Source | null;
  readonly page: number | null;
  readonly bbox: Box | null;
  readonly editedAt: Date | null;
}

/**
 * All fields in schema order, then the cells of non-empty table rows, numbered without gaps. Used by the result, the
 * pages and the exports.
 */
export function presentFields(opened: CompletedDocument, schema: Schema): readonly PresentedField[] {
  const edited = applyEdits(opened);
  const fields: PresentedField[] = [];
  for (const { key, section, spec } of everyField(schema)) {
    fields.push({ key, storedKey: key, section, spec, row: undefined, ...edited.at(key) });
  }
  for (const section of schema.sections) {
    if (section.table === undefined) continue;
    for (const [index, stored] of visibleRows(edited, schema, section).entries()) {
      for (const spec of section.table.columns) {
        const storedKey = cellKey(section, stored, spec);
        fields.push({
          key: cellKey(section, index + 1, spec),
          storedKey,
          section,
          spec,
          row: index + 1,
          ...edited.at(storedKey),
        });
      }
    }
  }
  return inSchemaOrder(fields, schema);
}

/** Stored numbers of the visible rows, and the first unused number. */
export function tableRowNumbers(
  opened: CompletedDocument,
  schema: Schema,
  section: Section,
): { stored: readonly number[]; next: number } {
  const edited = applyEdits(opened);
  const all = storedRows(edited, schema, section);
  return { stored: visibleRows(edited, schema, section), next: (all.at(-1) ?? 0) + 1 };
}

interface EditedFields {
  keys(): Iterable<string>;
  at(key: string): Pick<PresentedField, 'value' | 'original' | 'confidence' | 'source' | 'page' | 'bbox' | 'editedAt'>;
}

function applyEdits({ extraction, edits }: CompletedDocument): EditedFields {
  const editOf = new Map(edits.map((edit) => [edit.key, edit]));
  return {
    keys: () => new Set([...Object.keys(extraction.fields), ...editOf.keys()]),
    at(key) {
      const read: Field | undefined = Object.hasOwn(extraction.fields, key) ? extraction.fields[key] : undefined;
      const edit = editOf.get(key);
      return {
        value: edit === undefined ? (read?.value ?? null) : edit.value,
        original: read?.value ?? null,
        confidence: edit === undefined ? (read?.confidence ?? null) : null,
        source: edit === undefined ? (read?.source ?? null) : 'manual',
        page: read?.page ?? null,
        bbox: read?.bbox ?? null,
        editedAt: edit?.editedAt ?? null,
      };
    },
  };
}

function storedRows(edited: EditedFields, schema: Schema, section: Section): number[] {
  const rows = new Set<number>();
  for (const key of edited.keys()) {
    const target = resolveKey(schema, key);
    if (target?.kind === 'cell' && target.section.key === section.key) rows.add(target.row);
  }
  return [...rows].sort((a, b) => a - b);
}

const visibleRows = (edited: EditedFields, schema: Schema, section: Section): number[] =>
  storedRows(edited, schema, section).filter((row) =>
    section.table!.columns.some((column) => edited.at(cellKey(section, row, column)).value !== null),
  );

function inSchemaOrder(fields: readonly PresentedField[], schema: Schema): PresentedField[] {
  const bySection = new Map<string, PresentedField[]>(schema.sections.map(({ key }) => [key, []]));
  for (const field of fields) bySection.get(field.section.key)!.push(field);
  return [...bySection.values()].flat();
}
