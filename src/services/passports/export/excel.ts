import { type Cell, type Sheet, xlsx } from '../../../base/xlsx/xlsx.ts';
import type { CompletedDocument } from '../documents.ts';
import type { Value } from '../extraction.ts';
import { groupByRow } from '../present.ts';
import { inLanguage, type Schema, type Section } from '../schema/schema.ts';
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
  const sheet =
    layout === 'plain'
      ? {
          header: ['Field', 'Value'],
          widths: [42, 60],
          rows: rows.map((row) => [row.name, valueCell(row)]),
        }
      : {
          header: ['Section', 'Field', 'Value', 'Confidence', 'Edited'],
          widths: [26, 42, 60, 12, 18],
          rows: rows.map((row) => [row.sectionTitle, row.label, valueCell(row), row.confidence, row.editedAt]),
        };
  return xlsx([{ name: SHEET, ...sheet }]);
}

/**
 * One row per document with id, filename, created_at and its fields, and a sheet per table of the schema. Calls `each`
 * once per sheet and holds one document in memory.
 */
export function excelOfMany(each: () => AsyncIterable<CompletedDocument>, { schema, language }: ExcelOptions) {
  const labels = labelsOf(schema, language);
  const fields = schema.sections.flatMap((section) => section.fields ?? []);

  async function* documentRows(): AsyncGenerator<readonly Cell[], void, undefined> {
    for await (const opened of each()) {
      const single = exportRows(opened, schema, language).filter(({ row }) => row === undefined);
      yield [opened.id, opened.filename, opened.createdAt, ...single.map(valueCell)];
    }
  }

  async function* tableRows(section: Section): AsyncGenerator<readonly Cell[], void, undefined> {
    for await (const opened of each()) {
      const cells = exportRows(opened, schema, language).filter(
        (cell) => cell.section === section && cell.row !== undefined,
      );
      for (const row of groupByRow(cells)) yield [opened.id, opened.filename, row[0]!.row!, ...row.map(valueCell)];
    }
  }

  const documents: Sheet = {
    name: SHEET,
    header: ['id', 'filename', 'created_at', ...fields.map((spec) => labels.get(spec)!.name)],
    widths: [38, 36, 18, ...fields.map(() => 24)],
    rows: documentRows(),
  };
  const tables = schema.sections.flatMap((section): Sheet[] => {
    if (!section.table) return [];
    const { columns } = section.table;
    const header = ['id', 'filename', 'row', ...columns.map(({ label }) => inLanguage(label, language))];
    const widths = [38, 36, 6, ...columns.map(() => 20)];
    return [{ name: inLanguage(section.title, language), header, widths, rows: tableRows(section) }];
  });
  return xlsx([documents, ...tables]);
}

const SHEET = 'Passports';

function valueCell({ spec, displayValue }: ExportRow): Cell {
  return spec.type === 'date' && isDay(displayValue) ? { day: displayValue } : displayValue;
}

const isDay = (value: Value): value is string => typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value);
