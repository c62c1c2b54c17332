import type { Content } from 'pdfmake';
import { fill } from '../../../ui/browser/fill.ts';
import type { Value } from '../extraction.ts';
import type { PageExcerpt } from './page-excerpts.ts';
import type { ReportField, ReportTable } from './report.ts';
import type { ReportLabels } from './report-labels.ts';

export const GREY = '#5b6470';

export function fieldTable(title: string, fields: readonly ReportField[], labels: ReportLabels): Content {
  const body = fields.map(({ label, value, edited, excerpt }) => [
    { text: clean(label), color: GREY },
    {
      stack: [
        { text: formatValue(value, labels) },
        ...(edited ? [{ text: labels.edited, fontSize: 7, color: GREY }] : []),
      ],
    },
    excerpt ? picture(excerpt, labels, STRIP) : { text: '' },
  ]);
  const values = fields.map(({ value }) => value);
  return table(title, {
    widths: [135, '*', STRIP.width],
    head: [labels.field, labels.value, labels.excerpt],
    body,
    values,
  });
}

export function rowTable(title: string, { columns, rows, excerpts }: ReportTable, labels: ReportLabels): Content[] {
  const emptyRow = [{ text: labels.noRows, color: GREY, colSpan: columns.length }, ...columns.slice(1).map(() => ({}))];
  const body = rows.map((row) => row.map((value) => ({ text: formatValue(value, labels), fontSize: 9 })));
  return [
    table(title, {
      widths: columns.map(() => '*'),
      head: columns,
      body: body.length > 0 ? body : [emptyRow],
      values: rows.flat(),
    }),
    ...excerpts.map((excerpt): Content => ({ ...picture(excerpt, labels, WHOLE), margin: [0, 6, 0, 0] })),
  ];
}

// Maximum size in points.
const STRIP = { width: 190, height: 44 } as const;
const WHOLE = { width: 515, height: 300 } as const;

interface TableOptions {
  readonly widths: readonly (number | '*')[];
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
        head.map((text) => ({ text: clean(text), bold: true, fontSize: 9, fillColor: '#eef1f5' })),
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

function formatValue(value: Value, labels: ReportLabels): string {
  if (value === null) return '—';
  if (typeof value === 'boolean') return value ? labels.yes : labels.no;
  return clean(String(value));
}

/** Removes control and direction characters. */
export const clean = (text: string): string => text.replace(/\r\n?/g, '\n').replace(/\t/g, ' ').replace(UNSEEN, '');

const UNSEEN = /[\p{Cs}\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;
