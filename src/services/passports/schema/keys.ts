import type { ColumnSpec, FieldSpec, Schema, Section } from './schema.ts';

/** A field, or a table cell (rows from 1). */
export type KeyTarget =
  | { readonly kind: 'field'; readonly section: Section; readonly spec: FieldSpec }
  | { readonly kind: 'cell'; readonly section: Section; readonly spec: ColumnSpec; readonly row: number };

/** The highest row number of a table, which keys have in at most four digits. */
export const MAX_ROW = 9999;

export const fieldKey = (section: Section, spec: FieldSpec): string => `${section.key}:${spec.key}`;
export const cellKey = (section: Section, row: number, spec: ColumnSpec): string => `${section.key}:${row}.${spec.key}`;

export function resolveKey(schema: Schema, key: string): KeyTarget | undefined {
  const parts = /^([a-z][a-z0-9_]*):(?:([1-9][0-9]{0,3})\.)?([a-z][a-z0-9_]*)$/.exec(key);
  const section = schema.sections.find(({ key }) => key === parts?.[1]);
  if (!parts || !section) return undefined;
  if (parts[2] !== undefined) {
    const spec = section.table?.columns.find(({ key }) => key === parts[3]);
    return spec && { kind: 'cell', section, spec, row: Number(parts[2]) };
  }
  const spec = section.fields?.find(({ key }) => key === parts[3]);
  return spec && { kind: 'field', section, spec };
}

export function* everyField(schema: Schema): Generator<{ key: string; section: Section; spec: FieldSpec }> {
  for (const section of schema.sections) {
    for (const spec of section.fields ?? []) yield { key: fieldKey(section, spec), section, spec };
  }
}
