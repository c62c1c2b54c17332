import { median } from '../../../../base/median.ts';
import { type ColumnSpec, isNumbering, type TableSpec } from '../../schema/schema.ts';
import { joinText, type Token } from './page-tokens.ts';
import type { Extent, Header } from './table-headers.ts';

export const isInColumn = (token: Extent, { x0, x1 }: Extent): boolean => {
  const middle = (token.x0 + token.x1) / 2;
  return x0 <= middle && middle <= x1;
};

/** Assigns a column with an unknown header to the only missing column of its type. */
export function inferColumns(
  header: Header,
  rows: readonly (readonly Token[])[],
  { columns }: TableSpec,
): Header['columns'] {
  const found = [...header.columns];
  let spare = [...header.unknownColumns];
  for (const type of ['string', 'number', 'numbering'] as const) {
    const missing = columns.filter((one) => contentOf(one) === type && !found.some(({ spec }) => spec.key === one.key));
    const [best] = spare
      .map((place) => ({ place, fit: FIT[type](textsIn(place, rows)) }))
      .sort((a, b) => b.fit - a.fit);
    if (missing.length !== 1 || !best || best.fit < 0.6) continue;
    found.push({ spec: missing[0]!, x0: best.place.x0, x1: best.place.x1, score: INFERRED_SCORE });
    spare = spare.filter((place) => place !== best.place);
  }
  return found;
}

const textsIn = (place: Extent, rows: readonly (readonly Token[])[]): string[] =>
  rows
    .map((row) => joinText(row.filter((token) => isInColumn(token, place))))
    .filter((text) => /[\p{L}\d]/u.test(text));

const share = (texts: readonly string[], fits: (text: string, i: number) => boolean): number =>
  texts.length < 2 ? 0 : texts.filter(fits).length / texts.length;

const contentOf = (spec: ColumnSpec) => (isNumbering(spec) ? 'numbering' : spec.type);

/** How well texts fit a column type, 0..1; row numbers must be consecutive. */
const FIT = {
  string: (texts: readonly string[]) => share(texts, (text) => /\p{L}{3}/u.test(text)),
  number: (texts: readonly string[]) => share(texts, (text) => /^\d+[.,]\d+$/u.test(text)),
  numbering: (texts: readonly string[]) =>
    share(texts, (text, i) => /^\d{1,3}$/u.test(text) && Number(text) === (i === 0 ? 1 : Number(texts[i - 1]) + 1)),
};
/** The score of a column recognized by its content. */
export const INFERRED_SCORE = 0.75;

/** Widens each column to the span of text below its header. */
export function fitColumnsToText(rows: readonly (readonly Token[])[], header: Header): Header['columns'] {
  const columns = [...header.columns].sort((a, b) => a.x0 - b.x0);
  const spans = textSpans(rows);
  const middle = ({ x0, x1 }: Extent) => (x0 + x1) / 2;
  const edges = columns.map((column) => {
    const best = spans
      .map((span) => ({ span, overlap: Math.min(span.x1, column.x1) - Math.max(span.x0, column.x0) }))
      .sort((a, b) => b.overlap - a.overlap)[0];
    return best && best.overlap > 0
      ? { x0: Math.min(best.span.x0, column.x0), x1: Math.max(best.span.x1, column.x1) }
      : column;
  });
  return columns.map((column, i) => {
    const edge = edges[i]!;
    const before = edges[i - 1];
    const after = edges[i + 1];
    const x0 = before ? Math.max(edge.x0 - 6, Math.min(edge.x0, (before.x1 + edge.x0) / 2)) : edge.x0 - 20;
    const x1 = after ? Math.min(edge.x1 + 6, Math.max(edge.x1, (after.x0 + edge.x1) / 2)) : edge.x1 + 20;
    return { ...column, x0: Math.min(x0, middle(column)), x1: Math.max(x1, middle(column)) };
  });
}

function textSpans(rows: readonly (readonly Token[])[]): { x0: number; x1: number }[] {
  const words = rows.flat();
  const space = 0.55 * median(words.map(({ y0, y1 }) => y1 - y0));
  const merged: { x0: number; x1: number }[] = [];
  for (const { x0, x1 } of [...words].sort((a, b) => a.x0 - b.x0)) {
    const last = merged.at(-1);
    if (last && x0 <= last.x1 + space) last.x1 = Math.max(last.x1, x1);
    else merged.push({ x0, x1 });
  }
  return merged;
}
