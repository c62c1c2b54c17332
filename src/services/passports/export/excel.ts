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

/**
 * A row for each field and table cell: `plain` has the columns Field and Value, and a sheet per table of the schema behind them;
 * `wide`, for programs, also Section, Confidence and Edited (UTC), with headers in English.
 */
export function excelOfOne(
  opened: CompletedDocument,
  { schema, language, layout }: ExcelOptions & { layout: 'plain' | 'wide' },
): AsyncGenerator<Buffer, void, undefined> {
  const rows = exportRows(opened, schema, language);
  if (layout === 'wide') {
    return xlsx([
      {
        name: SHEET.en,
        header: ['Section', 'Field', 'Value', 'Confidence', 'Edited'],
        widths: [26, 42, 60, 12, 18],
        rows: rows.map((row) => [row.sectionTitle, row.label, valueCell(row), row.confidence, row.editedAt]),
      },
    ]);
  }
  const fields = {
    name: SHEET[language],
    header: HEADER[language],
    widths: [42, 60],
    rows: rows.map((row) => [row.name, valueCell(row)]),
  };
  const tables = tableSheets({ schema, language }, (tableSection) =>
    groupByRow(cellsOf(tableSection, rows)).map((row) => row.map(valueCell)),
  );
  return xlsx([fields, ...tables]);
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
      const cells = cellsOf(section, exportRows(opened, schema, language));
      for (const row of groupByRow(cells)) yield [opened.id, opened.filename, row[0]!.row!, ...row.map(valueCell)];
    }
  }

  const documents: Sheet = {
    name: SHEET[language],
    header: ['id', 'filename', 'created_at', ...fields.map((spec) => labels.get(spec)!.name)],
    widths: [38, 36, 18, ...fields.map(() => 24)],
    rows: documentRows(),
  };
  const tables = tableSheets({ schema, language }, tableRows).map(({ header, widths, ...sheet }) => ({
    ...sheet,
    header: ['id', 'filename', 'row', ...header],
    widths: [38, 36, 6, ...widths],
  }));
  return xlsx([documents, ...tables]);
}

/** A sheet per table of the schema, named after its section, with the labels of its columns. */
const tableSheets = ({ schema, language }: ExcelOptions, rowsOf: (section: Section) => Sheet['rows']): Sheet[] =>
  schema.sections.flatMap((section) => {
    if (!section.table) return [];
    const header = section.table.columns.map(({ label }) => inLanguage(label, language));
    return [{ name: inLanguage(section.title, language), header, widths: header.map(() => 20), rows: rowsOf(section) }];
  });

const cellsOf = (section: Section, rows: readonly ExportRow[]) =>
  rows.filter((cell) => cell.section === section && cell.row !== undefined);

const SHEET = { en: 'Passports', ru: 'Паспорта' } as const;

const HEADER = { en: ['Field', 'Value'], ru: ['Поле', 'Значение'] } as const;

function valueCell({ spec, displayValue }: ExportRow): Cell {
  return spec.type === 'date' && isDay(displayValue) ? { day: displayValue } : displayValue;
}

const isDay = (value: Value): value is string => typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value);
