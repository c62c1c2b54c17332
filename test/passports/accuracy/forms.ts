// Form elements as pdfmake definitions.
import type { Drawing } from './layout.ts';

type Node = Drawing | string;

/** A value on an underlined blank of `width` points, or of the available width. */
export const blank = (value: string, width: number | '*' = '*', style: Drawing = { italics: true }): Drawing => ({
  width,
  table: {
    widths: ['*'],
    body: [[{ text: value || ' ', border: [false, false, false, true], margin: [2, 0, 2, -1], ...style }]],
  },
  layout: {
    paddingLeft: () => 1,
    paddingRight: () => 1,
    paddingTop: () => 0,
    paddingBottom: () => 0,
    hLineWidth: () => 0.6,
    vLineWidth: () => 0,
  },
});

/** A line of texts and blanks. */
export const formLine = (...nodes: readonly Node[]): Drawing => ({
  columns: nodes.map((node) => (typeof node === 'string' ? { text: node, width: 'auto' } : node)),
  columnGap: 4,
  margin: [0, 3, 0, 3],
});

/** A blank with its label in brackets below. */
export const labelBelow = (value: string, label: string): Drawing => ({
  stack: [
    blank(value, '*', { alignment: 'center', italics: true }),
    { text: `(${label})`, fontSize: 7, alignment: 'center' },
  ],
  margin: [0, 3, 0, 4],
});

export const heading = (text: string, style: Drawing = {}): Drawing => ({
  text,
  bold: true,
  fontSize: 12,
  margin: [0, 8, 0, 5],
  ...style,
});

export const ruled = (
  widths: readonly (number | string)[],
  body: readonly (readonly unknown[])[],
  more: Drawing = {},
): Drawing => ({
  table: { widths, body, ...((more['table'] as Drawing | undefined) ?? {}) },
  layout: { hLineWidth: () => 0.7, vLineWidth: () => 0.7 },
  margin: [0, 4, 0, 6],
});

/** A table without rules. */
export const bare = (
  widths: readonly (number | string)[],
  body: readonly (readonly unknown[])[],
  padding = 3,
): Drawing => ({
  table: { widths, body },
  layout: {
    hLineWidth: () => 0,
    vLineWidth: () => 0,
    paddingTop: () => padding,
    paddingBottom: () => padding,
    paddingLeft: () => 2,
    paddingRight: () => 8,
  },
  margin: [0, 4, 0, 6],
});

/** A round stamp, drawn over the text. */
export function stamp(x: number, y: number, lines: readonly string[], colour = '#3040a0'): Drawing[] {
  return [
    {
      absolutePosition: { x, y },
      canvas: [
        { type: 'ellipse', x: 55, y: 55, r1: 55, r2: 55, lineWidth: 2, lineColor: colour },
        { type: 'ellipse', x: 55, y: 55, r1: 40, r2: 40, lineWidth: 1, lineColor: colour },
      ],
    },
    {
      absolutePosition: { x: x + 15, y: y + 35 },
      width: 80,
      stack: lines.map((text) => ({ text, color: colour, fontSize: 8, alignment: 'left' })),
    },
  ];
}
