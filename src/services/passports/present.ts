import type { Opened } from './documents.ts';
import type { Field, Source, Value } from './extraction.ts';
import type { Box } from './page.ts';
import { cellKey, everyField, named } from './schema/keys.ts';
import type { ColumnSpec, FieldSpec, Schema, Section } from './schema/schema.ts';

/** A field as a reader sees it: what was read, under what was typed since. */
export interface PresentedField {
  /** By which the result and the update form name it. */
  readonly key: string;
  /** By which the store names it: rows that were emptied stay in the store and are not seen. */
  readonly storedKey: string;
  readonly section: Section;
  readonly spec: FieldSpec | ColumnSpec;
  /** From 1, of a cell of a table. */
  readonly row: number | undefined;
  readonly value: Value;
  /** As it was read from the document, whatever was typed since. */
  readonly original: Value;
  /** Null where nobody measured it, and for what a person typed. */
  readonly confidence: number | null;
  readonly source: Source | null;
  readonly page: number | null;
  readonly bbox: Box | null;
  readonly editedAt: Date | null;
}

/**
 * Every field of the schema, in its order, empty ones too; then for a table the cells of each row that has a value in
 * it, numbered without gaps. The result, the pages and the exports all show this.
 */
export function presentFields(opened: Opened, schema: Schema): readonly PresentedField[] {
  const over = overlay(opened);
  const fields: PresentedField[] = [];
  for (const { key, section, spec } of everyField(schema)) {
    fields.push({ key, storedKey: key, section, spec, row: undefined, ...over.at(key) });
  }
  for (const section of schema.sections) {
    if (section.table === undefined) continue;
    for (const [index, stored] of seenRows(over, schema, section).entries()) {
      for (const spec of section.table.columns) {
        const storedKey = cellKey(section, stored, spec);
        fields.push({
          key: cellKey(section, index + 1, spec),
          storedKey,
          section,
          spec,
          row: index + 1,
          ...over.at(storedKey),
        });
      }
    }
  }
  return inOrder(fields, schema);
}

/** How the rows of a table, as a reader counts them, lie in the store; and the first number that no row there has had. */
export function rowsOf(opened: Opened, schema: Schema, section: Section): { stored: readonly number[]; next: number } {
  const over = overlay(opened);
  const all = storedRows(over, schema, section);
  return { stored: seenRows(over, schema, section), next: (all.at(-1) ?? 0) + 1 };
}

interface Overlay {
  keys(): Iterable<string>;
  at(key: string): Pick<PresentedField, 'value' | 'original' | 'confidence' | 'source' | 'page' | 'bbox' | 'editedAt'>;
}

function overlay({ extraction, edits }: Opened): Overlay {
  const edited = new Map(edits.map((edit) => [edit.key, edit]));
  return {
    keys: () => new Set([...Object.keys(extraction.fields), ...edited.keys()]),
    at(key) {
      const read: Field | undefined = Object.hasOwn(extraction.fields, key) ? extraction.fields[key] : undefined;
      const edit = edited.get(key);
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

function storedRows(over: Overlay, schema: Schema, section: Section): number[] {
  const rows = new Set<number>();
  for (const key of over.keys()) {
    const what = named(schema, key);
    if (what?.kind === 'cell' && what.section.key === section.key) rows.add(what.row);
  }
  return [...rows].sort((a, b) => a - b);
}

const seenRows = (over: Overlay, schema: Schema, section: Section): number[] =>
  storedRows(over, schema, section).filter((row) =>
    section.table!.columns.some((column) => over.at(cellKey(section, row, column)).value !== null),
  );

function inOrder(fields: readonly PresentedField[], schema: Schema): PresentedField[] {
  const bySection = new Map<string, PresentedField[]>(schema.sections.map(({ key }) => [key, []]));
  for (const field of fields) bySection.get(field.section.key)!.push(field);
  return [...bySection.values()].flat();
}
