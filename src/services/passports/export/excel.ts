import { type Cell, type Sheet, xlsx } from '../../../base/xlsx/xlsx.ts';
import type { CompletedDocument } from '../documents.ts';
import type { Value } from '../extraction.ts';
import { inLanguage, type Schema } from '../schema/schema.ts';
import { type ExportRow, exportRows, type Language, labelsOf } from './rows.ts';

export interface ExcelOptions {
  readonly schema: Schema;
  readonly language: Language;
}

/** One row per field: `plain` has the columns Field and Value, `wide` also Section, Confidence and Edited (UTC). */
export function excelOfOne(
  opened: CompletedDocument,
  { schema, language, layout }: ExcelOptions & { layout: 'plain' | 'wide' },
): AsyncGenerator<Buffer, void, undefined> {
  const rows = exportRows(opened, schema, language);
  const sheet: Sheet =
    layout === 'plain'
      ? {
          name: SHEET,
          header: ['Field', 'Value'],
          widths: [42, 60],
          rows: rows.map((row) => [row.name, valueCell(row)]),
        }
      : {
          name: SHEET,
          header: ['Section', 'Field', 'Value', 'Confidence', 'Edited'],
          widths: [26, 42, 60, 12, 18],
          rows: rows.map((row) => [row.sectionTitle, row.label, valueCell(row), row.confidence, row.editedAt]),
        };
  return xlsx([sheet]);
}

/**
 * One row per document with id, filename, created_at and its fields, and a sheet per table of the schema. Calls `each`
 * once per sheet and holds one document in memory.
 */
export function excelOfMany(
  each: () => AsyncIterable<CompletedDocument>,
  { schema, language }: ExcelOptions,
): AsyncGenerator<Buffer, void, undefined> {
  const labels = labelsOf(schema, language);
  const fields = schema.sections.flatMap((section) => section.fields ?? []);
  const documents: Sheet = {
    name: SHEET,
    header: ['id', 'filename', 'created_at', ...fields.map((spec) => labels.get(spec)!.name)],
    widths: [38, 36, 18, ...fields.map(() => 24)],
    rows: documentRows(each, schema, language),
  };
  const tables = schema.sections.flatMap((section): Sheet[] => {
    if (!section.table) return [];
    const { columns } = section.table;
    return [
      {
        name: inLanguage(section.title, language),
        header: ['id', 'filename', ROW, ...columns.map(({ label }) => inLanguage(label, language))],
        widths: [38, 36, 6, ...columns.map(() => 20)],
        rows: tableRows(each, section.key, { schema, language }),
      },
    ];
  });
  return xlsx([documents, ...tables]);
}

const SHEET = 'Passports';
const ROW = 'row';

async function* documentRows(
  each: () => AsyncIterable<CompletedDocument>,
  schema: Schema,
  language: Language,
): AsyncGenerator<readonly Cell[], void, undefined> {
  for await (const opened of each()) {
    const fields = exportRows(opened, schema, language).filter(({ row }) => row === undefined);
    yield [opened.id, opened.filename, opened.createdAt, ...fields.map(valueCell)];
  }
}

async function* tableRows(
  each: () => AsyncIterable<CompletedDocument>,
  section: string,
  { schema, language }: ExcelOptions,
): AsyncGenerator<readonly Cell[], void, undefined> {
  for await (const opened of each()) {
    const rows = new Map<number, Cell[]>();
    for (const field of exportRows(opened, schema, language)) {
      if (field.section.key !== section || field.row === undefined) continue;
      const cells = rows.get(field.row) ?? [opened.id, opened.filename, field.row];
      cells.push(valueCell(field));
      rows.set(field.row, cells);
    }
    yield* rows.values();
  }
}

function valueCell({ spec, displayValue }: ExportRow): Cell {
  return spec.type === 'date' && isDay(displayValue) ? { day: displayValue } : displayValue;
}

const isDay = (value: Value): value is string => typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value);
