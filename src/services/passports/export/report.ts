import type { CompletedDocument } from '../documents.ts';
import type { LoadPageImage } from '../page-images.ts';
import { groupByRow } from '../present.ts';
import { inLanguage, type Schema } from '../schema/schema.ts';
import { loadExcerpts, tablePlaces, toPlace } from './page-excerpts.ts';
import { exportRows, type Language, labelsOf } from './rows.ts';

export interface ReportSource {
  readonly opened: CompletedDocument;
  readonly schema: Schema;
  readonly language: Language;
  readonly now: Date;
}

/** Plain data, because it is sent to a thread. */
export type Report = Awaited<ReturnType<typeof buildReport>>;
type Part = Report['parts'][number];
export type ReportField = Part['fields'][number];
export type ReportTable = NonNullable<Part['table']>;

/** `picture` loads page images. */
export async function buildReport({ opened, schema, language, now }: ReportSource, picture: LoadPageImage) {
  const rows = exportRows(opened, schema, language);
  const labels = labelsOf(schema, language);
  const sections = schema.sections.map((section) => {
    const own = rows.filter((row) => row.section === section);
    const cells = own.filter(({ row }) => row !== undefined);
    const fields = own.filter(({ row }) => row === undefined).map((row) => ({ row, place: toPlace(row) }));
    return { section, fields, cells, tablePlaces: tablePlaces(cells) };
  });
  const places = sections.flatMap((each) => [...each.fields.flatMap(({ place }) => place ?? []), ...each.tablePlaces]);
  const excerpts = await loadExcerpts(opened, places, picture);
  const parts = sections.map(({ section: { title, table }, fields, cells, tablePlaces: tables }) => ({
    title: inLanguage(title, language),
    fields: fields.map(({ row, place }) => ({
      label: row.label,
      value: row.displayValue,
      edited: row.editedAt !== null,
      /** Undefined if unknown or unavailable. */
      excerpt: place && excerpts.get(place),
    })),
    table: table && {
      columns: table.columns.map((column) => labels.get(column)!.label),
      rows: groupByRow(cells).map((row) => row.map(({ displayValue }) => displayValue)),
      /** One per page. */
      excerpts: tables.flatMap((place) => excerpts.get(place) ?? []),
    },
  }));
  const title = schema.title && inLanguage(schema.title, language);
  return { title, name: opened.filename, pages: opened.extraction.pages, language, now, parts };
}
