import type { Content } from 'pdfmake';
import type { Value } from '../extraction.ts';
import type { Proof, ReportField, ReportTable } from './report.ts';
import type { ReportWords } from './report-words.ts';

export const GREY = '#5b6470';

/** The fields of a section: name, value, and the strip of the page where it was read. */
export function fieldTable(title: string, fields: readonly ReportField[], words: ReportWords): Content {
  const body = fields.map(({ label, value, edited, proof }) => [
    { text: clean(label), color: GREY },
    { stack: [{ text: printed(value, words) }, ...(edited ? [{ text: words.edited, fontSize: 7, color: GREY }] : [])] },
    proof ? picture(proof, words, STRIP) : { text: '' },
  ]);
  const values = fields.map(({ value }) => value);
  return table(title, { widths: [135, '*', STRIP.width], head: [words.field, words.value, words.proof], body, values });
}

/** A table of the schema as a table, and beneath it what the pages show of it. */
export function rowTable(title: string, { columns, rows, proofs }: ReportTable, words: ReportWords): Content[] {
  const none = [{ text: words.noRows, color: GREY, colSpan: columns.length }, ...columns.slice(1).map(() => ({}))];
  const body = rows.map((row) => row.map((value) => ({ text: printed(value, words), fontSize: 9 })));
  return [
    table(title, {
      widths: columns.map(() => '*'),
      head: columns,
      body: body.length > 0 ? body : [none],
      values: rows.flat(),
    }),
    ...proofs.map((proof): Content => ({ ...picture(proof, words, WHOLE), margin: [0, 6, 0, 0] })),
  ];
}

// Points. A strip is a line of print, or a few; a table may take the width of the page.
const STRIP = { width: 190, height: 44 } as const;
const WHOLE = { width: 515, height: 300 } as const;

interface TableOptions {
  readonly widths: readonly (number | '*')[];
  readonly head: readonly string[];
  readonly body: readonly (readonly Content[])[];
  /** All that the body shows. */
  readonly values: readonly Value[];
}

/** Its title and its head stand above it on every page that it comes to, and never without a row beneath them. */
function table(title: string, { widths, head, body, values }: TableOptions): Content {
  const heading = { text: clean(title), fontSize: 13, bold: true, colSpan: head.length, margin: [-4, 10, 0, 2] };
  // What is kept together on a page and is longer than one would be cut off.
  const short = values.every((value) => String(value).length < MAX_KEPT / head.length);
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
function picture(proof: Proof, words: ReportWords, most: { width: number; height: number }): Content {
  const { width, height, jpeg } = proof;
  const scale = Math.min(most.width / width, most.height / height, POINTS_PER_PIXEL);
  const image = `data:image/jpeg;base64,${Buffer.from(jpeg).toString('base64')}`;
  return {
    unbreakable: true,
    stack: [
      { image, width: width * scale, height: height * scale },
      { text: words.sourcePage(proof.page), fontSize: 7, color: GREY },
    ],
  };
}

// A page's picture has 1600 pixels where the page has 842 points.
const POINTS_PER_PIXEL = 842 / 1600;

function printed(value: Value, words: ReportWords): string {
  if (value === null) return words.empty;
  if (typeof value === 'boolean') return value ? words.yes : words.no;
  return clean(String(value));
}

/** Without what no font shows: control characters and marks of direction. */
export const clean = (text: string): string => text.replace(/\r\n?/g, '\n').replace(/\t/g, ' ').replace(UNSEEN, '');

const UNSEEN = /[\p{Cs}\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;
