import type { Opened } from '../documents.ts';
import type { Value } from '../extraction.ts';
import type { Strip } from '../model/pages/strips.ts';
import { inLanguage, type Schema, type Section } from '../schema/schema.ts';
import { type Place, placeOf, tablePlaces } from './proof.ts';
import { type ExportRow, exportRows, type Language, wordsOf } from './rows.ts';

/** All that the printed report of a document says. */
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

/** What a report is made from; plain data, for it is made in another thread. */
export interface ReportSource {
  readonly opened: Opened;
  readonly schema: Schema;
  readonly language: Language;
  readonly now: Date;
}

/** Cuts these places out of the pictures of their pages; what there is no picture of stays undefined. */
export type Prove = (places: readonly Place[]) => Promise<readonly (Strip | undefined)[]>;

/** What the report of a document says: values, labels and pieces of its pages. Throws what `prove` throws. */
export async function reportOf(source: ReportSource, prove: Prove): Promise<Report> {
  const { opened, schema, language, now } = source;
  const rows = exportRows(opened, schema, language);
  const sketches = schema.sections.map((section) => sketched(section, rows));
  const places = sketches.flatMap(({ fields, tablePlaces }) => [
    ...fields.flatMap(({ place }) => place ?? []),
    ...tablePlaces,
  ]);
  const strips = await prove(places);
  const proof = new Map(places.map((place, index) => [place, strips[index]]));
  const parts = sketches.map((sketch) => finished(sketch, proof, source));
  return { name: opened.filename, pages: opened.extraction.pages, language, now, parts };
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
  strips: ReadonlyMap<Place, Strip | undefined>,
  { schema, language }: ReportSource,
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
