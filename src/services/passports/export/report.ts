import type { Opened } from '../documents.ts';
import type { Value } from '../extraction.ts';
import type { Strip } from '../model/pages/strips.ts';
import { inLanguage, type Schema, type Section } from '../schema/schema.ts';
import { type Picture, type Place, placeOf, proofOf, tablePlaces } from './proof.ts';
import { type ExportRow, exportRows, type Language, wordsOf } from './rows.ts';

/** All that the printed report of a document says, as plain data: it is printed in another thread. */
export interface Report {
  readonly name: string;
  /** Of the document, not of the report. */
  readonly pages: number;
  readonly language: Language;
  readonly now: Date;
  readonly parts: readonly Part[];
}

/** A section of the schema: what the document has for its fields, and for its table where it has one. */
export interface Part {
  readonly title: string;
  readonly fields: readonly ReportField[];
  readonly table: ReportTable | undefined;
}

export interface ReportField {
  readonly label: string;
  readonly value: Value;
  readonly edited: boolean;
  /** The strip of the page where it was read; undefined where nobody can tell, and where there is no picture. */
  readonly proof: Proof | undefined;
}

export interface ReportTable {
  readonly columns: readonly string[];
  /** A value for each column. */
  readonly rows: readonly (readonly Value[])[];
  /** What the pages show of it, a piece of each page that it stands on. */
  readonly proofs: readonly Proof[];
}

/** A piece of the picture of a page. */
export interface Proof {
  readonly page: number;
  readonly width: number;
  readonly height: number;
  readonly jpeg: Uint8Array;
}

export interface ReportOptions {
  readonly schema: Schema;
  readonly language: Language;
  /** Fetches the picture of a page by its key in the file store. */
  readonly picture: Picture;
  readonly now: Date;
}

/** What the report of a document says: values, labels and pieces of its pages. Throws what the file store throws. */
export async function reportOf(opened: Opened, options: ReportOptions): Promise<Report> {
  const { schema, language, picture, now } = options;
  const rows = exportRows(opened, schema, language);
  const parts = schema.sections.map((section) => sketched(section, rows));
  const places = parts.flatMap(({ fields, tablePlaces }) => [
    ...fields.flatMap(({ place }) => place ?? []),
    ...tablePlaces,
  ]);
  const strips = await proofOf(opened, places, picture);
  const titled = parts.map((part) => finished(part, strips, { schema, language }));
  return { name: opened.filename, pages: opened.extraction.pages, language, now, parts: titled };
}

/** A part whose pictures are still to be fetched. */
interface Sketch {
  readonly section: Section;
  readonly fields: readonly { readonly row: ExportRow; readonly place: Place | undefined }[];
  readonly rows: readonly (readonly Value[])[];
  readonly tablePlaces: readonly Place[];
}

function sketched(section: Section, all: readonly ExportRow[]): Sketch {
  const fields: { row: ExportRow; place: Place | undefined }[] = [];
  const cells: ExportRow[] = [];
  const rows = new Map<number, Value[]>();
  for (const row of all) {
    if (row.section.key !== section.key) continue;
    if (row.row === undefined) {
      fields.push({ row, place: placeOf(row) });
      continue;
    }
    cells.push(row);
    const line = rows.get(row.row) ?? [];
    rows.set(row.row, line);
    line.push(row.shown);
  }
  return { section, fields, rows: [...rows.values()], tablePlaces: tablePlaces(cells) };
}

function finished(
  { section, fields, rows, tablePlaces }: Sketch,
  strips: ReadonlyMap<Place, Strip>,
  { schema, language }: Pick<ReportOptions, 'schema' | 'language'>,
): Part {
  const proof = (place: Place | undefined) => place && proofAt(place, strips.get(place));
  const columns = (section.table?.columns ?? []).map((column) => wordsOf(schema, language).get(column)!.label);
  return {
    title: inLanguage(section.title, language),
    fields: fields.map(({ row, place }) => ({
      label: row.label,
      value: row.shown,
      edited: row.editedAt !== null,
      proof: proof(place),
    })),
    table: columns.length === 0 ? undefined : { columns, rows, proofs: tablePlaces.flatMap((at) => proof(at) ?? []) },
  };
}

function proofAt({ page }: Place, strip: Strip | undefined): Proof | undefined {
  return strip && { page, width: strip.width, height: strip.height, jpeg: strip.bytes };
}
