import type { CompletedDocument } from '../documents.ts';
import type { Value } from '../extraction.ts';
import type { Crop } from '../images/crops.ts';
import { inLanguage, type Schema, type Section } from '../schema/schema.ts';
import { type Place, tablePlaces, toPlace } from './page-excerpts.ts';
import { type ExportRow, exportRows, type Language, labelsOf } from './rows.ts';

export interface Report {
  readonly name: string;
  readonly pages: number;
  readonly language: Language;
  readonly now: Date;
  readonly parts: readonly Part[];
}

export interface Part {
  readonly title: string;
  readonly fields: readonly ReportField[];
  readonly table: ReportTable | undefined;
}

export interface ReportField {
  readonly label: string;
  readonly value: Value;
  readonly edited: boolean;
  /** Undefined if unknown or unavailable. */
  readonly excerpt: PageExcerpt | undefined;
}

export interface ReportTable {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Value[])[];
  /** One per page. */
  readonly excerpts: readonly PageExcerpt[];
}

export interface PageExcerpt {
  readonly page: number;
  readonly width: number;
  readonly height: number;
  readonly jpeg: Uint8Array;
}

/** Plain data, because it is sent to a thread. */
export interface ReportSource {
  readonly opened: CompletedDocument;
  readonly schema: Schema;
  readonly language: Language;
  readonly now: Date;
}

/** Undefined for missing images. */
export type CutExcerpts = (places: readonly Place[]) => Promise<readonly (Crop | undefined)[]>;

export async function buildReport(source: ReportSource, cutExcerpts: CutExcerpts): Promise<Report> {
  const { opened, schema, language, now } = source;
  const rows = exportRows(opened, schema, language);
  const drafts = schema.sections.map((section) => draftPart(section, rows));
  const places = drafts.flatMap(({ fields, tablePlaces }) => [
    ...fields.flatMap(({ place }) => place ?? []),
    ...tablePlaces,
  ]);
  const strips = await cutExcerpts(places);
  const stripByPlace = new Map(places.map((place, index) => [place, strips[index]]));
  const parts = drafts.map((draft) => finishPart(draft, stripByPlace, source));
  return { name: opened.filename, pages: opened.extraction.pages, language, now, parts };
}

interface PartDraft {
  readonly section: Section;
  readonly fields: readonly { readonly row: ExportRow; readonly place: Place | undefined }[];
  readonly rows: readonly (readonly Value[])[];
  readonly tablePlaces: readonly Place[];
}

function draftPart(section: Section, all: readonly ExportRow[]): PartDraft {
  const fields: { row: ExportRow; place: Place | undefined }[] = [];
  const cells: ExportRow[] = [];
  const rows = new Map<number, Value[]>();
  for (const row of all) {
    if (row.section.key !== section.key) continue;
    if (row.row === undefined) {
      fields.push({ row, place: toPlace(row) });
      continue;
    }
    cells.push(row);
    const line = rows.get(row.row) ?? [];
    rows.set(row.row, line);
    line.push(row.displayValue);
  }
  return { section, fields, rows: [...rows.values()], tablePlaces: tablePlaces(cells) };
}

function finishPart(
  { section, fields, rows, tablePlaces }: PartDraft,
  strips: ReadonlyMap<Place, Crop | undefined>,
  { schema, language }: ReportSource,
): Part {
  const excerpt = (place: Place | undefined) => place && toExcerpt(place, strips.get(place));
  const columns = (section.table?.columns ?? []).map((column) => labelsOf(schema, language).get(column)!.label);
  return {
    title: inLanguage(section.title, language),
    fields: fields.map(({ row, place }) => ({
      label: row.label,
      value: row.displayValue,
      edited: row.editedAt !== null,
      excerpt: excerpt(place),
    })),
    table:
      columns.length === 0 ? undefined : { columns, rows, excerpts: tablePlaces.flatMap((at) => excerpt(at) ?? []) },
  };
}

function toExcerpt({ page }: Place, strip: Crop | undefined): PageExcerpt | undefined {
  return strip && { page, width: strip.width, height: strip.height, jpeg: strip.bytes };
}
