import { createRequire } from 'node:module';
import pdfmake, { type Content } from 'pdfmake';
import type { Opened } from '../documents.ts';
import { inLanguage, type Schema, type Section } from '../schema/schema.ts';
import { type Picture, type Place, placeOf, proofOf, tablePlaces } from './proof.ts';
import { cellsOf, clean, fieldTable, GREY, type Page, rowTable } from './report-tables.ts';
import { REPORT_WORDS } from './report-words.ts';
import { type ExportRow, exportRows, type Language, wordsOf } from './rows.ts';

export interface ReportOptions {
  readonly schema: Schema;
  readonly language: Language;
  /** Fetches the picture of a page by its key in the file store. */
  readonly picture: Picture;
  readonly now: Date;
}

/**
 * The bytes of a printable PDF of a document: its name, a table of its fields for each section with a strip of the page
 * where each value was read, its tables as tables, and on each page the name, the number of the page and the day. Values
 * are printed as the API gives them (numbers with a point, days as YYYY-MM-DD), in a font that has Cyrillic letters.
 */
export async function reportOf(opened: Opened, options: ReportOptions): Promise<Buffer> {
  const { schema, language, picture, now } = options;
  const words = REPORT_WORDS[language];
  const name = clean(opened.filename);
  const parts = partsOf(exportRows(opened, schema, language), schema);
  const places = parts.flatMap(({ fields, tablePlaces }) => [...fields.map(({ place }) => place), ...tablePlaces]);
  const proof = await proofOf(
    opened,
    places.filter((place) => place !== undefined),
    picture,
  );
  const day = now.toISOString().slice(0, 10);
  return pdfmake
    .createPdf({
      info: { title: name, creationDate: now },
      pageSize: 'A4',
      pageMargins: [40, 56, 40, 52],
      language,
      defaultStyle: { font: FONT, fontSize: 10 },
      header: { text: shortened(name), margin: [40, 26, 40, 0], fontSize: 8, color: GREY },
      footer: (current: number, all: number) => ({
        margin: [40, 14, 40, 0],
        fontSize: 8,
        color: GREY,
        columns: [{ text: words.printed(day) }, { text: words.pageOf(current, all), alignment: 'right' }],
      }),
      content: [
        { text: words.title, fontSize: 18, bold: true },
        { text: name, fontSize: 12, margin: [0, 2, 0, 0] },
        { text: words.document(opened.extraction.pages), color: GREY, margin: [0, 2, 0, 0] },
        ...parts.flatMap((part) => printedPart(part, options, { words, proof })),
      ],
    })
    .getBuffer();
}

const FONT = 'PT Sans';
const require = createRequire(import.meta.url);
const FONTS = {
  normal: require.resolve('@expo-google-fonts/pt-sans/400Regular/PTSans_400Regular.ttf'),
  bold: require.resolve('@expo-google-fonts/pt-sans/700Bold/PTSans_700Bold.ttf'),
};
pdfmake.setFonts({ [FONT]: FONTS });
// A document names no pictures and no files that are not given here.
pdfmake.setUrlAccessPolicy(() => false);
pdfmake.setLocalAccessPolicy((path) => path === FONTS.normal || path === FONTS.bold);

/** A section of the schema with what the document has for it, and where. */
interface Part {
  readonly section: Section;
  readonly fields: readonly { readonly row: ExportRow; readonly place: Place | undefined }[];
  readonly cells: readonly ExportRow[];
  readonly tablePlaces: readonly Place[];
}

function partsOf(rows: readonly ExportRow[], { sections }: Schema): Part[] {
  return sections.map((section) => {
    const fields = rows.filter((row) => row.row === undefined && row.section.key === section.key);
    const cells = cellsOf(rows, section);
    return {
      section,
      fields: fields.map((row) => ({ row, place: placeOf(row) })),
      cells,
      tablePlaces: tablePlaces(cells),
    };
  });
}

function printedPart(part: Part, { schema, language }: ReportOptions, page: Page): Content[] {
  const { section, fields, cells, tablePlaces: places } = part;
  const title = inLanguage(section.title, language);
  const columns = (section.table?.columns ?? []).map((column) => wordsOf(schema, language).get(column)!);
  return [
    ...(fields.length > 0 ? [fieldTable(title, fields, page)] : []),
    ...(columns.length > 0 ? rowTable(title, { columns, cells, places }, page) : []),
  ];
}

const shortened = (name: string) => ([...name].length <= 100 ? name : `${[...name].slice(0, 99).join('')}…`);
