import type { Content } from 'pdfmake';
import type { Value } from '../extraction.ts';
import type { Strip } from '../model/pages/strips.ts';
import type { Section } from '../schema/schema.ts';
import type { Place } from './proof.ts';
import type { REPORT_WORDS } from './report-words.ts';
import type { ExportRow, Language, Words } from './rows.ts';

/** What the tables of a report are made with. */
export interface Page {
  readonly words: (typeof REPORT_WORDS)[Language];
  readonly proof: ReadonlyMap<Place, Strip>;
}

export const GREY = '#5b6470';

/** The fields of a section: name, value, and the strip of the page where it was read. */
export function fieldTable(
  title: string,
  fields: readonly { readonly row: ExportRow; readonly place: Place | undefined }[],
  { words, proof }: Page,
): Content {
  const body = fields.map(({ row, place }) => {
    const strip = place && proof.get(place);
    const edited = row.editedAt === null ? [] : [{ text: words.edited, fontSize: 7, color: GREY }];
    return [
      { text: clean(row.label), color: GREY },
      { stack: [{ text: printed(row.shown, words) }, ...edited] },
      place && strip ? picture(strip, words.sourcePage(place.page), STRIP) : { text: '' },
    ];
  });
  const rows = fields.map(({ row }) => row);
  return table(title, { widths: [135, '*', STRIP.width], head: [words.field, words.value, words.proof], body, rows });
}

/** A table of the schema as a table, and beneath it what the pages show of it. */
export function rowTable(
  title: string,
  { columns, cells, places }: { columns: readonly Words[]; cells: readonly ExportRow[]; places: readonly Place[] },
  { words, proof }: Page,
): Content[] {
  const byRow = new Map<number, Content[]>();
  for (const { row, shown } of cells) {
    const line = byRow.get(row!) ?? [];
    line.push({ text: printed(shown, words), fontSize: 9 });
    byRow.set(row!, line);
  }
  const none = [{ text: words.noRows, color: GREY, colSpan: columns.length }, ...columns.slice(1).map(() => ({}))];
  const body = byRow.size > 0 ? [...byRow.values()] : [none];
  const head = columns.map(({ label }) => label);
  return [
    table(title, { widths: columns.map(() => '*'), head, body, rows: cells }),
    ...places.flatMap((place): Content[] => {
      const strip = proof.get(place);
      return strip ? [{ ...picture(strip, words.sourcePage(place.page), WHOLE), margin: [0, 6, 0, 0] }] : [];
    }),
  ];
}

/** The cells of the table of a section, row by row. */
export const cellsOf = (rows: readonly ExportRow[], { key }: Section): ExportRow[] =>
  rows.filter(({ row, section }) => row !== undefined && section.key === key);

// Points. A strip is a line of print, or a few; a table may take the width of the page.
const STRIP = { width: 190, height: 44 } as const;
const WHOLE = { width: 515, height: 300 } as const;

interface TableOptions {
  readonly widths: readonly (number | '*')[];
  readonly head: readonly string[];
  readonly body: readonly (readonly Content[])[];
  readonly rows: readonly ExportRow[];
}

/** Its title and its head stand above it on every page that it comes to, and never without a row beneath them. */
function table(title: string, { widths, head, body, rows }: TableOptions): Content {
  const heading = { text: clean(title), fontSize: 13, bold: true, colSpan: head.length, margin: [-4, 10, 0, 2] };
  // What is kept together on a page and is longer than one would be cut off.
  const short = rows.every(({ shown }) => String(shown).length < MAX_KEPT / head.length);
  return {
    layout: LAYOUT,
    table: {
      headerRows: 2,
      keepWithHeaderRows: short ? 1 : 0,
      dontBreakRows: short,
      widths,
      body: [
        [heading, ...head.slice(1).map(() => ({}))],
        head.map((text) => ({ text: clean(text), bold: true, fontSize: 9, fillColor: '#eef1f5' })),
        ...body,
      ],
    },
  };
}

// Characters over the width of the page that are half as high as it.
const MAX_KEPT = 2000;

const LAYOUT = {
  hLineWidth: (line: number) => (line === 0 ? 0 : 0.5),
  vLineWidth: () => 0,
  hLineColor: () => '#c9d0d9',
  paddingTop: () => 3,
  paddingBottom: () => 3,
};

/** Not enlarged beyond the size in which its page would be printed. */
function picture(strip: Strip, caption: string, most: { width: number; height: number }): Content {
  const scale = Math.min(most.width / strip.width, most.height / strip.height, POINTS_PER_PIXEL);
  const image = `data:image/jpeg;base64,${strip.bytes.toString('base64')}`;
  return {
    unbreakable: true,
    stack: [
      { image, width: strip.width * scale, height: strip.height * scale },
      { text: caption, fontSize: 7, color: GREY },
    ],
  };
}

// A page's picture has 1600 pixels where the page has 842 points.
const POINTS_PER_PIXEL = 842 / 1600;

function printed(value: Value, words: Page['words']): string {
  if (value === null) return words.empty;
  if (typeof value === 'boolean') return value ? words.yes : words.no;
  return clean(String(value));
}

/** Without what no font shows: control characters and marks of direction. */
export const clean = (text: string): string => text.replace(/\r\n?/g, '\n').replace(/\t/g, ' ').replace(UNSEEN, '');

const UNSEEN = /[\p{Cs}\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;
