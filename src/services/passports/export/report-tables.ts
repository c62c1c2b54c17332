import type { Content } from 'pdfmake';
import { fill } from '../../../ui/browser/fill.ts';
import type { Value } from '../extraction.ts';
import type { PageExcerpt } from './page-excerpts.ts';
import type { ReportField, ReportTable } from './report.ts';
import type { ReportLabels } from './report-labels.ts';

export const GREY = '#5b6470';

export function fieldTable(title: string, fields: readonly ReportField[], labels: ReportLabels): Content {
  const body = fields.map(({ label, value, edited, excerpt }) => [
    { text: wrapText(clean(label), FIELD_WIDTHS[0]), color: GREY },
    {
      stack: [
        { text: wrapText(formatValue(value, labels), FIELD_WIDTHS[1]) },
        ...(edited ? [{ text: labels.edited, fontSize: 7, color: GREY }] : []),
      ],
    },
    excerpt ? picture(excerpt, labels, STRIP) : { text: '' },
  ]);
  const values = fields.map(({ value }) => value);
  return table(title, {
    widths: FIELD_WIDTHS,
    head: [labels.field, labels.value, labels.excerpt],
    body,
    values,
  });
}

export function rowTable(title: string, { columns, rows, excerpts }: ReportTable, labels: ReportLabels): Content[] {
  return [
    ...splitColumns(rows.length === 0 ? Math.min(columns.length, MAX_COLUMNS) : columns.length).map((part) => {
      const pick = <T>(row: readonly T[]) => part.map((column) => row[column]!);
      return tablePart(title, pick(columns), rows.map(pick), labels);
    }),
    ...excerpts.map((excerpt): Content => ({ ...picture(excerpt, labels, WHOLE), margin: [0, 6, 0, 0] })),
  ];
}

function tablePart(title: string, columns: readonly string[], rows: readonly Value[][], labels: ReportLabels): Content {
  const emptyRow = [{ text: labels.noRows, color: GREY, colSpan: columns.length }, ...columns.slice(1).map(() => ({}))];
  const width = PAGE_WIDTH / columns.length - PADDING;
  const body = rows.map((row) =>
    row.map((value) => ({ text: wrapText(formatValue(value, labels), width, 9), fontSize: 9 })),
  );
  return table(title, {
    widths: columns.map(() => width),
    head: columns,
    body: body.length > 0 ? body : [emptyRow],
    values: rows.flat(),
  });
}

/** Chosen for columns of at least 35 points, which fit six figures. */
const MAX_COLUMNS = 12;

/** The columns of each part of a table; the first column repeats, to identify the rows. */
function splitColumns(count: number): number[][] {
  const all = Array.from({ length: count }, (_, column) => column);
  if (count <= MAX_COLUMNS) return [all];
  const parts = Math.ceil((count - 1) / (MAX_COLUMNS - 1));
  const size = Math.ceil((count - 1) / parts);
  return Array.from({ length: parts }, (_, part) => [0, ...all.slice(1 + part * size, 1 + (part + 1) * size)]);
}

// Sizes in points: an A4 page without its margins, and the sum of a cell's left and right padding.
const PAGE_WIDTH = 515;
const PADDING = 8;
// Maximum sizes.
const STRIP = { width: 190, height: 44 } as const;
const WHOLE = { width: PAGE_WIDTH, height: 300 } as const;
const FIELD_WIDTHS = [135, PAGE_WIDTH - 135 - STRIP.width - 3 * PADDING, STRIP.width] as const;

interface TableOptions {
  readonly widths: readonly number[];
  readonly head: readonly string[];
  readonly body: readonly (readonly Content[])[];
  readonly values: readonly Value[];
}

/** Repeats title and header on every page, never without a row below them. */
function table(title: string, { widths, head, body, values }: TableOptions): Content {
  const heading = { text: clean(title), fontSize: 13, bold: true, colSpan: head.length, margin: [-4, 10, 0, 2] };
  // Rows kept together that are longer than a page would be cut off.
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
        head.map((text, at) => ({
          text: wrapText(clean(text), widths[at]!, 9),
          bold: true,
          fontSize: 9,
          fillColor: '#eef1f5',
        })),
        ...body,
      ],
    },
  };
}

// Characters of full-width text that fill half a page.
const MAX_KEPT = 2000;

const LAYOUT = {
  hLineWidth: (line: number) => (line === 0 ? 0 : 0.5),
  vLineWidth: () => 0,
  hLineColor: () => '#c9d0d9',
  paddingTop: () => 3,
  paddingBottom: () => 3,
};

/** Scaled at most to the printed size of the page. */
function picture(excerpt: PageExcerpt, labels: ReportLabels, maxSize: { width: number; height: number }): Content {
  const { width, height, jpeg } = excerpt;
  const scale = Math.min(maxSize.width / width, maxSize.height / height, POINTS_PER_PIXEL);
  const image = `data:image/jpeg;base64,${Buffer.from(jpeg).toString('base64')}`;
  return {
    unbreakable: true,
    stack: [
      { image, width: width * scale, height: height * scale },
      { text: fill(labels.sourcePage, { page: excerpt.page }), fontSize: 7, color: GREY },
    ],
  };
}

// A page image has 1600 pixels for 842 points.
const POINTS_PER_PIXEL = 842 / 1600;

/** Breaks words that are wider than their column between characters; they would overlap the next one. */
function wrapText(text: string, width: number, fontSize = 10): Content['text'] {
  const isWide = (word: string) => widthInEms(word) * fontSize > width;
  const words = text.split(/([^\s-]+-?)/);
  return words.some(isWide)
    ? words.map((word) => (isWide(word) ? { text: word, wordBreak: 'break-all' } : word))
    : text;
}

/** At least the width in the font of the report, except for `π`, `∞` and letters of some other languages. */
const widthInEms = (word: string) =>
  0.6 * word.length +
  0.4 * (word.match(/[\p{Lu}жмшщыюфmwæœ&%‰–—…©®™¼½¾@№]/gu)?.length ?? 0) +
  0.2 * (word.match(/[‰№@]/g)?.length ?? 0);

function formatValue(value: Value, labels: ReportLabels): string {
  if (value === null) return '—';
  if (typeof value === 'boolean') return value ? labels.yes : labels.no;
  return clean(String(value));
}

/** Removes control and direction characters. */
export const clean = (text: string): string => text.replace(/\r\n?/g, '\n').replace(/\t/g, ' ').replace(UNSEEN, '');

const UNSEEN = /[\p{Cs}\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;
