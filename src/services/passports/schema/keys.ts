import type { ColumnSpec, FieldSpec, Schema, Section } from './schema.ts';

/** A field, or a table cell. Rows count from 1; a row between two others has a decimal fraction (`2.5`). */
export type KeyTarget =
  | { readonly kind: 'field'; readonly section: Section; readonly spec: FieldSpec }
  | { readonly kind: 'cell'; readonly section: Section; readonly spec: ColumnSpec; readonly row: number };

/** The highest row number of a table, which keys have in at most four digits, and its greatest number of rows. */
export const MAX_ROW = 9999;

/** Of the fraction of a row number; with four digits before it, a double is exact. */
const MAX_DECIMALS = 11;
/** JavaScript writes smaller numbers with an exponent. */
const MIN_ROW = 1e-6;

export const fieldKey = (section: Section, spec: FieldSpec): string => `${section.key}:${spec.key}`;
export const cellKey = (section: Section, row: number, spec: ColumnSpec): string => `${section.key}:${row}.${spec.key}`;

/** Without leading or trailing zeros, so that a row has one number only. */
const KEY = /^([a-z][a-z0-9_]*):(?:((?:[1-9][0-9]{0,3}|0(?=\.[0-9]))(?:\.[0-9]{0,10}[1-9])?)\.)?([a-z][a-z0-9_]*)$/;

export function resolveKey(schema: Schema, key: string): KeyTarget | undefined {
  const parts = KEY.exec(key);
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

/** A row number near the middle between two others, with few decimals; undefined if there is none. */
export function rowBetween(before: number, after: number): number | undefined {
  const scale = 10 ** MAX_DECIMALS;
  const [from, to] = [Math.round(before * scale), Math.round(after * scale)];
  for (let step = scale / 10; step >= 1; step /= 10) {
    const [lowest, highest] = [Math.floor(from / step) + 1, Math.ceil(to / step) - 1];
    const row = (Math.floor((lowest + highest) / 2) * step) / scale;
    if (lowest <= highest && row >= MIN_ROW) return row;
  }
  return undefined;
}
