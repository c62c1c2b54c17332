import type { CompletedDocument } from './documents.ts';
import type { Field, Source, Value } from './extraction.ts';
import type { Box } from './page-geometry.ts';
import { cellKey, fieldKey, resolveKey } from './schema/keys.ts';
import {
  type ColumnSpec,
  type FieldSpec,
  inLanguage,
  type Schema,
  type Section,
  type ValueSpec,
} from './schema/schema.ts';

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
  /** Sources found different values; false for edited values. */
  readonly disagrees: boolean;
}

/**
 * In schema order: the fields of each section, then the cells of its non-empty table rows, numbered without gaps. Used
 * by the result, the pages and the exports.
 */
export function presentFields(opened: CompletedDocument, schema: Schema): readonly PresentedField[] {
  const edited = applyEdits(opened);
  return schema.sections.flatMap((section) => {
    const { fields = [], table } = section;
    const single = fields.map((spec): PresentedField => {
      const key = fieldKey(section, spec);
      return { key, storedKey: key, section, spec, row: undefined, ...inType(spec, edited.at(key)) };
    });
    const cells = (table ? visibleRows(edited, schema, section) : []).flatMap((stored, index) =>
      table!.columns.map((spec): PresentedField => {
        const storedKey = cellKey(section, stored, spec);
        const row = index + 1;
        return {
          key: cellKey(section, row, spec),
          storedKey,
          section,
          spec,
          row,
          ...inType(spec, edited.at(storedKey)),
        };
      }),
    );
    return [...single, ...cells];
  });
}

/** Values stored under an earlier schema may be numbers where it now has text (room numbers). */
function inType<Read extends { value: Value; original: Value }>({ type }: ValueSpec, read: Read): Read {
  const convert = (value: Value): Value => (type === 'string' && typeof value === 'number' ? String(value) : value);
  return { ...read, value: convert(read.value), original: convert(read.original) };
}

/** Stored numbers of the visible rows and of all, and the first unused number. */
export function tableRowNumbers(opened: CompletedDocument, schema: Schema, section: Section) {
  const edited = applyEdits(opened);
  const all = storedRows(edited, schema, section);
  return { stored: visibleRows(edited, schema, section), all, next: Math.floor(all.at(-1) ?? 0) + 1 };
}

type EditedFields = ReturnType<typeof applyEdits>;

function applyEdits({ extraction, edits }: CompletedDocument) {
  const editOf = new Map(edits.map((edit) => [edit.key, edit]));
  return {
    keys: () => new Set([...Object.keys(extraction.fields), ...editOf.keys()]),
    at(key: string) {
      const read: Field | undefined = Object.hasOwn(extraction.fields, key) ? extraction.fields[key] : undefined;
      const edit = editOf.get(key);
      return {
        value: edit === undefined ? (read?.value ?? null) : edit.value,
        original: read?.value ?? null,
        confidence: edit === undefined ? (read?.confidence ?? null) : null,
        source: edit === undefined ? (read?.source ?? null) : ('manual' as const),
        page: read?.page ?? null,
        bbox: read?.bbox ?? null,
        editedAt: edit?.editedAt ?? null,
        disagrees: edit === undefined && read?.disagrees === true,
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

export function groupByRow<Cell extends PresentedField>(cells: readonly Cell[]): Cell[][] {
  const rows = new Map<number | undefined, Cell[]>();
  for (const cell of cells) {
    const row = rows.get(cell.row) ?? [];
    rows.set(cell.row, row);
    row.push(cell);
  }
  return [...rows.values()];
}

/** The values of an enum with their labels. */
export const enumLabels = (
  { enum: choices }: Pick<ValueSpec, 'enum'>,
  language: 'en' | 'ru',
): [value: string, label: string][] | undefined =>
  choices?.map((each) => (typeof each === 'string' ? [each, each] : [each.value, inLanguage(each.label, language)]));
